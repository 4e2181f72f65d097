internal import HoistCore

/// What the service sends, on the scheduler's thread.
extension LaunchDarklyProvider: SynchronizerDelegate {
  func take(_ message: FlagMessage) -> FlagOutcome {
    let outcome = flags.apply(message)
    if outcome == .applied { online.serviceHasSpoken() }
    return outcome
  }

  func confirmed() {
    flags.confirm()
    online.serviceHasSpoken()
  }

  func unauthorized() { online.forceOffline() }

  func streamShutDown() { online.streamShutDown() }
}

extension LaunchDarklyProvider {
  /// Connects the parts that exchange news of the service.
  func joinService() {
    connection.modeChanged = { [weak self] mode in self?.observers.connectionModeChanged(mode.rawValue) }
    events.policy.unauthorized = { [weak self] in
      guard let self else { return }
      self.connection.note(.unauthorized)
      self.connection.failed(.response, status: 401, "the mobile key is refused for events")
      self.host?.report(
        .stopped(.launchDarklyUnauthorized, "the service refuses the mobile key for events with status 401: the client goes offline"))
      self.unauthorized()
    }
    events.policy.failed = { [weak self] status, cause in
      if status != 401 { self?.connection.noteFailedDelivery(status: status, cause) }
    }
    events.policy.headers = { [weak self] url, own, completion in self?.prepare(own, for: url, completion) }
    synchronizer.environmentTold = { [hooks] in hooks.environmentTold($0) }
    synchronizer.triedStream = { [weak self] start, milliseconds, hasFailed in
      self?.diagnostics?.streamInitialized(at: start, afterMilliseconds: milliseconds, hasFailed: hasFailed)
    }
    diagnostics?.headers = { [weak self] url, own, completion in self?.prepare(own, for: url, completion) }
  }

  private func prepare(_ own: [HTTPHeader], for url: String, _ completion: @escaping @Sendable ([HTTPHeader]) -> Void) {
    guard let host else { return completion(headers.make(own)) }
    headers.prepare(own, for: url, host: host, completion: completion)
  }
}
