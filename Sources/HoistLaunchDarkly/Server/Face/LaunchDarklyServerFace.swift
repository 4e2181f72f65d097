public import HoistBase
public import HoistCore

/// What only LaunchDarkly clients can do that decide flags themselves, in LaunchDarkly's words. A view of a client;
/// thread-safe.
public struct LaunchDarklyServerFace: Sendable {
  let client: Client
  private let provider: ServerProvider

  /// nil for a client of another service, and in mode client.
  public init?(_ client: Client) {
    guard let provider = client.provider as? ServerProvider else { return nil }
    self.client = client
    self.provider = provider
  }

  /// The current one for nil.
  private func subject(_ context: ContextReference?) throws(ServerRefusal) -> ContextReference {
    guard let context = context ?? client.currentContext else { throw ServerRefusal(ServerProvider.noContext) }
    guard context.frozen.isOfService else { throw ServerRefusal("its context is none: \(ServerProvider.contextRule)") }
    return context
  }
}

/// Listings.
extension LaunchDarklyServerFace {
  /// The values of all flags for one context as JSON (6; LDS-32). Counts nothing; one that is not valid says why in the log.
  /// - Parameter context: nil for the current one.
  public func allFlagsState(_ context: ContextReference?, _ options: FlagsStateOptions) -> [UInt8] {
    client.resumeAfterFork()
    do throws(ServerRefusal) {
      if client.isClosed { throw ServerRefusal("the client is closed") }
      let context = try subject(context)
      defer { withExtendedLifetime(context) {} }
      let host: any ProviderHost = client
      let state = host.withPinnedSnapshot { snapshot in
        snapshot.map { FlagsState.json($0, context.frozen, options, now: host.clock.unixMilliseconds) }
      }
      guard let state else { throw ServerRefusal("there are no rules yet: none fetched, stored or given") }
      return state
    } catch {
      client.log.warning("the state of all flags is not valid: \(error.reason)")
      return FlagsState.invalid
    }
  }

  /// Shows a browser's service that a context comes from a holder of the SDK key (6.1; LDS-33).
  /// - Parameter context: nil for the current one.
  /// - Returns: nil where there is no context or no SDK key, which the log says.
  public func secureModeHash(_ context: ContextReference?) -> [UInt8]? {
    do throws(ServerRefusal) {
      let key = provider.settings.common.mobileKey
      if key.isEmpty { throw ServerRefusal("there is no SDK key") }
      let given = try subject(context)
      guard let context = try? LDContext.read(given) else { throw ServerRefusal("its context cannot be read") }
      return key.withRevealedBytes { Array(SecureModeHash.text(of: context, sdkKey: $0).utf8) }
    } catch {
      client.log.warning("no secure mode hash is made: \(error.reason)")
      return nil
    }
  }
}

/// Observers (11.1; LDS-62).
extension LaunchDarklyServerFace {
  /// Of flags that may have other values than before, for any context.
  /// - Returns: a token for `Client.unobserve`; 0 when there are too many.
  public func observeRules(_ observer: any ChangeObserver) -> UInt64 { provider.observers.add(observer, for: .rules) }

  /// Of one flag's value for one context.
  /// - Parameter context: nil for the one that is current now.
  /// - Returns: nil where there is no context, which the log says.
  public func observeValue(_ key: [UInt8], _ context: ContextReference?, _ observer: any ChangeObserver) -> UInt64? {
    client.resumeAfterFork()
    do throws(ServerRefusal) {
      let context = try subject(context)
      let watched = WatchedValue(key) { [weak provider] in provider?.value(of: key, for: context) ?? ServerProvider.noValue }
      let token = provider.observers.add(observer, for: .value(watched))
      watched.begin()
      return token
    } catch {
      client.log.error("an observer of flag \"\(String(decoding: key, as: UTF8.self))\" is refused: \(error.reason)")
      return nil
    }
  }
}

/// Migrations (9; LDS-45, LDS-61).
extension LaunchDarklyServerFace {
  /// Which stage a migration has reached for a context, with what gathers the operation that follows.
  /// - Parameters:
  ///   - key: as for `Client.evaluate`.
  ///   - context: nil for the current one.
  ///   - given: the stage where the flag names none; nil for what is none, which is "off".
  public func migration(_ key: ByteView?, _ context: EvaluationContext?, fallback given: MigrationStage?) -> MigrationTracker {
    if given == nil { client.log.error("a migration's default stage is none: \"off\" takes its place") }
    let fallback = given ?? .off
    let reference = if let context { context.reference() } else { client.currentContext }
    return fallback.rawValue.withBytes { text in
      client.evaluate(
        key, context?.subject, .string, .counted, EvaluationFallback(.string, text), options: VariationOptions.migration
      ) { evaluation, detail in
        let detail = detail()
        var found = MigrationTracker.Evaluation(
          key: key.map { String(decoding: $0, as: UTF8.self) } ?? "", fallback: fallback,
          stage: evaluation.kind == .string ? MigrationStage(evaluation.text) ?? fallback : fallback,
          variation: DetailReason.variationIndex(detail), reason: DetailReason.json(detail) ?? ServerProvider.noValue)
        found.take(evaluation)
        return MigrationTracker(found, of: reference, entropy: client.entropy)
      }
    }
  }

  /// - Parameter work: host code.
  public func migrator(_ tracker: MigrationTracker, _ measures: MigrationMeasures, _ work: @escaping Migrator.Work) -> Migrator {
    Migrator(tracker, measures, client.clock, client.entropy, work)
  }

  /// Records what was gathered; refused after close.
  public func track(_ tracker: MigrationTracker) -> Status {
    client.track { provider in
      (provider as? ServerProvider)?.events.record(tracker, of: tracker.context?.frozen) ?? .unsupported
    }
  }
}
