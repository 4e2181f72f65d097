internal import CHoist
internal import HoistCore
internal import HoistLaunchDarkly
internal import HoistOptimizely
internal import HoistUnleash

/// Everything that an object offers, in the order of the members.
extension PluginObject {
  var coreOffers: [PluginOffer] {
    let services = BuiltInServices.shared
    let one: [PluginOffer?] = [
      table.create_logger.map {
        offer("logger", $0, zero: hoist_logger()) {
          CLogger($0)
        } isTaken: {
          $0.logSink != nil
        } store: {
          $0.logSink = $1
        }
      },
      table.create_cache.map {
        offer("cache", $0, zero: hoist_cache()) {
          CCache($0)
        } isTaken: {
          $0.cacheManager != nil
        } store: {
          $0.cacheManager = $1
        }
      },
      table.create_header_provider.map {
        offer("header_provider", $0, zero: hoist_header_provider()) {
          CHeaderProvider($0)
        } isTaken: {
          $0.headerProvider != nil
        } store: {
          $0.headerProvider = $1
        }
      },
      table.create_transport.map {
        offer("transport", $0, zero: hoist_transport()) {
          CTransport($0, scheduler: services.scheduler, clock: services.clock)
        } isTaken: {
          $0.transport != nil
        } store: {
          $0.transport = $1
        }
      },
      table.create_dispatcher.map {
        offer("dispatcher", $0, zero: hoist_dispatcher()) {
          CDispatcher($0, scheduler: services.scheduler, clock: services.clock)
        } isTaken: {
          $0.eventSink != nil
        } store: {
          $0.eventSink = $1
        }
      },
    ]
    return one.compactMap { $0 } + hookOffers
  }

  private var hookOffers: [PluginOffer] {
    guard let create = table.create_hook else { return [] }
    return [
      PluginOffer(kind: "hook") { plugins in
        guard plugins.hooks.count >= CHook.maximumPerConfiguration else { return nil }
        return PluginRefusal(
          status: .limit,
          message: "the plug-in \(path) offers a hook, and a configuration has at most \(CHook.maximumPerConfiguration)"
        )
      } install: { options, plugins throws(PluginRefusal) in
        plugins.hooks.append(CHook(try make("hook", options, create, hoist_hook())))
      }
    ]
  }

  var unleashOffers: [PluginOffer] {
    var offers: [PluginOffer] = []
    if let create = unleash?.create_storage {
      offers.append(
        offer("unleash_storage", create, zero: hoist_unleash_storage()) {
          CUnleashStorage($0)
        } isTaken: {
          $0.vendor[UnleashPlugins.storage] != nil
        } store: {
          $0.vendor[UnleashPlugins.storage] = $1
        })
    }
    guard let create = unleash?.create_strategy else { return offers }
    return offers + strategyNames.map { strategyOffer($0, create) }
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
      return PluginRefusal(
        status: .state,
        message: "the plug-in \(path) offers a strategy \"\(name)\", and the configuration has one of that name already"
      )
    } install: { options, plugins throws(PluginRefusal) in
      let named: Create<hoist_unleash_strategy> = { options, table, message, size in
        name.withCString { create($0, options, table, message, size) }
      }
      plugins.vendor[slot] = CUnleashStrategy(
        try make("unleash strategy \"\(name)\"", options, named, hoist_unleash_strategy()))
    }
  }

  var optimizelyOffers: [PluginOffer] {
    let offers: [PluginOffer?] = [
      optimizely?.create_profile_service.map {
        offer("optimizely_profile_service", $0, zero: hoist_optimizely_profile_service()) {
          COptimizelyProfiles($0)
        } isTaken: {
          $0.vendor[OptimizelyPlugins.profileService] != nil
        } store: {
          $0.vendor[OptimizelyPlugins.profileService] = $1
        }
      },
      optimizely?.create_odp_manager.map {
        offer("optimizely_odp_manager", $0, zero: hoist_optimizely_odp_manager()) {
          COptimizelyPlatform($0)
        } isTaken: {
          $0.vendor[OptimizelyPlatformPlugin.key] != nil
        } store: {
          $0.vendor[OptimizelyPlatformPlugin.key] = $1
        }
      },
    ]
    return offers.compactMap { $0 }
  }

  var launchDarklyOffers: [PluginOffer] {
    guard let create = launchDarkly?.create_hook else { return [] }
    return [
      PluginOffer(kind: "launchdarkly_hook") { plugins in
        guard !plugins.hasRoomForLaunchDarklyHook else { return nil }
        return PluginRefusal(
          status: .limit,
          message: "the plug-in \(path) offers a LaunchDarkly hook, and a configuration has at most \(LaunchDarklyPlugins.maximumHooks)")
      } install: { options, plugins throws(PluginRefusal) in
        plugins.add(CLaunchDarklyHook(try make("launchdarkly hook", options, create, hoist_launchdarkly_hook())))
      }
    ]
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
