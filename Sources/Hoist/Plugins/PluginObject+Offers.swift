internal import CHoist
internal import HoistCore
internal import HoistLaunchDarkly
internal import HoistOptimizely
internal import HoistUnleash

/// Everything that an object offers, in the order of the members.
extension PluginObject {
  var coreOffers: [PluginOffer] {
    let one: [PluginOffer?] = [
      offer("logger", table.create_logger, \.logSink) { CLogger($0) },
      offer("cache", table.create_cache, \.cacheManager) { CCache($0) },
      offer("header_provider", table.create_header_provider, \.headerProvider) { CHeaderProvider($0) },
      offer("transport", table.create_transport, \.transport) { CTransport($0) },
      offer("dispatcher", table.create_dispatcher, \.eventSink) { CDispatcher($0) },
    ]
    return one.compactMap { $0 } + hookOffers
  }

  private var hookOffers: [PluginOffer] {
    guard let create = table.create_hook else { return [] }
    return [
      PluginOffer(kind: "hook") { plugins in
        guard plugins.hooks.count >= CHook.maximumPerConfiguration else { return nil }
        return refusal(.limit, "offers a hook, and a configuration has at most \(CHook.maximumPerConfiguration)")
      } install: { options, plugins throws(Refusal) in
        plugins.hooks.append(CHook(try make("hook", options, create)))
      }
    ]
  }

  var unleashOffers: [PluginOffer] {
    let storage = offer("unleash_storage", unleash?.create_storage, \.vendor[UnleashPlugins.storage]) { CUnleashStorage($0) }
    let strategies = unleash?.create_strategy.map { create in strategyNames.map { strategyOffer($0, create) } }
    return [storage].compactMap { $0 } + (strategies ?? [])
  }

  private func strategyOffer(
    _ name: String,
    _ create:
      @escaping (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutablePointer<hoist_unleash_strategy>,
        UnsafeMutablePointer<CChar>, Int
      ) -> hoist_status
  ) -> PluginOffer {
    let slot = UnleashPlugins.strategyPrefix + name
    return PluginOffer(kind: "unleash_strategy") { plugins in
      guard plugins.vendor[slot] != nil else { return nil }
      return refusal(.state, "offers a strategy \"\(name)\", and the configuration has one of that name already")
    } install: { options, plugins throws(Refusal) in
      let named: Create<hoist_unleash_strategy> = { options, table, message, size in
        name.withCString { create($0, options, table, message, size) }
      }
      plugins.vendor[slot] = CUnleashStrategy(try make("unleash strategy \"\(name)\"", options, named))
    }
  }

  var optimizelyOffers: [PluginOffer] {
    let offers: [PluginOffer?] = [
      offer("optimizely_profile_service", optimizely?.create_profile_service, \.vendor[OptimizelyPlugins.profileService]) {
        COptimizelyProfiles($0)
      },
      offer("optimizely_odp_manager", optimizely?.create_odp_manager, \.vendor[OptimizelyPlatformPlugin.key]) {
        COptimizelyPlatform($0)
      },
    ]
    return offers.compactMap { $0 }
  }

  var launchDarklyOffers: [PluginOffer] {
    let stores: [PluginOffer?] = [
      offer("launchdarkly_store", launchDarkly?.create_store, \.vendor[LaunchDarklyStores.rules]) { CLaunchDarklyStore($0) },
      offer("launchdarkly_big_segments", launchDarkly?.create_big_segments, \.vendor[LaunchDarklyStores.bigSegments]) {
        CLaunchDarklyBigSegments($0)
      },
    ]
    let hook = launchDarkly?.create_hook.map { create in
      PluginOffer(kind: "launchdarkly_hook") { plugins in
        guard !plugins.hasRoomForLaunchDarklyHook else { return nil }
        return refusal(.limit, "offers a LaunchDarkly hook, and a configuration has at most \(LaunchDarklyPlugins.maximumHooks)")
      } install: { options, plugins throws(Refusal) in
        plugins.add(CLaunchDarklyHook(try make("launchdarkly hook", options, create)))
      }
    }
    return ([hook] + stores).compactMap { $0 }
  }

  /// What a configuration of a provider can take.
  func offers(for provider: String) -> [PluginOffer] {
    switch provider {
    case "unleash": coreOffers + unleashOffers
    case "optimizely": coreOffers + optimizelyOffers
    case "launchdarkly": coreOffers + launchDarklyOffers
    default: coreOffers
    }
  }
}
