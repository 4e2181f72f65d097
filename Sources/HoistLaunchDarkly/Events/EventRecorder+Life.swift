internal import HoistBase
internal import HoistCore

/// Life, on the scheduler's thread.
extension EventRecorder: ClientPart {
  func start() { outlet.start() }

  func stop() {
    first.settle()
    outlet.stop()
  }

  func onlineChanged(_ isOnline: Bool) { outlet.onlineChanged(isOnline) }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    guard options.isEnabled else { return completion(.accepted) }
    first.whenNothingWaits { [outlet] in outlet.flush(completion) }
  }

  /// On the thread of the child's first call, before anything is recorded in it.
  func forgetAfterFork() {
    outlet.forgetAfterFork()
    first.forget()
  }

  func abandonAfterFork() { outlet.checkpoints.abandonAfterFork() }

  /// Any thread.
  var statistics: [(group: String, name: String, value: Int64)] { outlet.statistics }
}

extension EventRecorder {
  convenience init(host: any ProviderHost, settings: LaunchDarklySettings, headers: any HeaderSource) {
    var options = EventOptions(settings, path: "mobile/events/bulk")
    options.policy.summarizesPerContext = settings.summarizesPerContext
    self.init(host: host, options: options, headers: headers)
  }
}

extension EventOptions {
  /// - Parameter path: of the service that takes events.
  init(_ settings: LaunchDarklySettings, path: String) {
    self.init(
      policy: LaunchDarklyEventPolicy.Options(
        url: (settings.eventsURL.appendingPath(path) ?? settings.eventsURL).text,
        timeoutMilliseconds: settings.connectionTimeoutMilliseconds, flushMilliseconds: settings.flushMilliseconds,
        retriesRefusals: settings.retriesRefusals, compresses: settings.compressesEvents))
    pipeline = "events:\(settings.mobileKeyDigest)"
    capacity = settings.eventCapacity
    mostRows = settings.mostEvents
    dropsAfterRetry = settings.isStrict
    longestRetryMilliseconds = settings.longestRetryMilliseconds
    durability = settings.eventDurability
    isEnabled = settings.sendsEvents
    redaction = settings.redaction
  }
}
