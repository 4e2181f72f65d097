internal import HoistCore

/// What the service sends, on the scheduler's thread.
extension LaunchDarklyProvider: SynchronizerDelegate {
  func take(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    flags.apply(message, isWanted: isWanted) { [self] outcome in
      if outcome == .applied { online.serviceHasSpoken() }
      completion(outcome)
    }
  }

  func confirmed() {
    flags.confirm()
    online.serviceHasSpoken()
  }

  func unauthorized() { online.forceOffline() }

  func streamShutDown() { online.streamShutDown() }

  func environmentTold(_ id: String) { hooks.environmentTold(id) }

  func triedStream(startedUnixMilliseconds start: Int64, durationMilliseconds: Int64, failed: Bool) {
    diagnostics?.streamInitialized(at: start, afterMilliseconds: durationMilliseconds, hasFailed: failed)
  }
}

extension LaunchDarklyProvider: DeliveryListener {
  func madePayload(ofEvents count: Int) { diagnostics?.batchMade(count) }

  func deliveryEnded(_ status: Int) {
    connection.note(.unauthorized)
    connection.failed(.response, status: 401, "the mobile key is refused for events")
    host?.report(
      .stopped(
        .launchDarklyUnauthorized, "the service refuses the mobile key for events with status 401: the client goes offline"))
    unauthorized()
  }

  func deliveryFailed(_ status: Int?, _ cause: String) {
    if status != 401 { connection.noteFailedDelivery(status: status, cause) }
  }
}

extension LaunchDarklyProvider: OnlineListener {
  func onlineChanged(_ isOnline: Bool) { diagnostics?.onlineChanged(isOnline) }
  func eventsMayGo(_ mayGo: Bool) { events.onlineChanged(mayGo) }
}

extension LaunchDarklyProvider: FlagListener {
  func contextChanges() { _ = events.outlet.keep() }
  func describe(_ context: LDContext) -> EventContext { events.describe(context) }
  func updated(_ changes: [FlagChange]) { observers.updated(changes) }
}
