internal import HoistBase
public import HoistCore

/// What a visitor does, and when it is sent.
extension KameleoonVisitor {
  /// KAM-41, KAM-B08: a goal is reached. It goes with the next tracking request, as does everything else of the visitor that
  /// has not been sent; with immediate durability it is stored when this returns, unless that takes too long.
  /// - Returns: `.limit` when there is no room for it; `.kameleoonSDKNotReady` before the first configuration; `.state` after
  ///   close, and without the client; `.argument` for a revenue that is no number.
  public func trackConversion(_ conversion: Conversion) -> Status {
    guard conversion.revenue.isFinite else { return .argument }
    return withReady { _, registry in
      defer { registry.tracker.queue(self) }
      return add([.conversion(conversion)], registry)
    }
  }

  /// KAM-59, KAM-42: everything of the visitor that has not been sent goes with the next tracking request, or now.
  /// - Parameter completion: once if the result is `.ok`, on the delivery lane or in the call that closes the client:
  ///   `.ok` when the service has it, `.network` when it could not be sent, and stays stored.
  /// - Returns: `.kameleoonSDKNotReady` before the first configuration; `.state` after close, and without the client;
  ///   `.limit` when too many answers are waited for.
  public func flush(isInstant: Bool, completion: (@Sendable (Status) -> Void)? = nil) -> Status {
    withReady { client, registry in
      let tracker = registry.tracker
      guard isInstant || completion != nil else {
        tracker.queue(self)
        return .ok
      }
      return client.promise(completion) { [self] tell in
        if isInstant { tracker.flushNow(self, completion: tell) } else { tracker.queue(self, completion: tell) }
        return .ok
      }
    }
  }

  /// KAM-B12: which audiences the visitor belongs to now goes with the next tracking request.
  /// - Returns: `.limit` when there is no room for all of them, or to find out costs too much; `.kameleoonSDKNotReady` before the first configuration; `.state`
  ///   after close, and without the client.
  public func evaluateAudiences() -> Status {
    withReady { client, registry in
      defer { registry.tracker.queue(self) }
      let now = registry.now
      let segments = reading(client, now) { snapshot, facts in
        var evaluator = KameleoonEvaluator(snapshot, facts, now: now, saves: false, recorder: NoSteps())
        return evaluator.audiences()
      }
      guard let found = segments else { return .ok }
      guard let matching = found else {
        client.noteExcess(of: "all segments of a visitor")
        return .limit
      }
      if matching.isEmpty { return .ok }
      return registry.change(self) { $0.target(matching) }
    }
  }

  private func withReady(_ body: (Client, KameleoonVisitorRegistry) -> Status) -> Status {
    withClient { client, registry in
      if isClosed(client) { return .state }
      return registry.isReady ? body(client, registry) : .kameleoonSDKNotReady
    } ?? .state
  }
}
