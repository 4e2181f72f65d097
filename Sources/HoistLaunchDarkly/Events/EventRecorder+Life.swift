internal import HoistBase
internal import HoistCore

/// Life, on the scheduler's thread.
extension EventRecorder: ClientPart {
  func start() {
    host.scheduler.assertCurrent()
    guard options.isEnabled else { return }
    pipeline.start()
    checkpoints.start()
  }

  func stop() {
    host.scheduler.assertCurrent()
    guard options.isEnabled else { return }
    checkpoints.stop()
    _ = keep()
    first.settle()
    pipeline.stop()
  }

  /// The client has gone online, or offline: then, as at the beginning, everything waits (LD-41).
  func onlineChanged(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    guard options.isEnabled else { return completion(.accepted) }
    first.whenNothingWaits { [pipeline] in pipeline.flush(completion: completion) }
  }

  /// On the thread of the child's first call, before anything is recorded in it.
  func forgetAfterFork() {
    host.scheduler.assertCurrent()
    capacity.forget()
    first.forget()
    summaries.forget(nowUnixMilliseconds: host.clock.unixMilliseconds)
  }

  func abandonAfterFork() { checkpoints.abandonAfterFork() }

  /// Any thread.
  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = pipeline.counters
    return [
      ("recorded", counters.recorded), ("waiting", counters.waiting), ("in_flight", counters.inFlight),
      ("delivered", counters.delivered), ("dropped", counters.dropped + capacity.dropped),
      ("rejected", counters.rejected), ("retried", counters.retried), ("adopted", counters.adopted),
      ("summary_overflow", Int(clamping: summaries.overflow)),
    ].map { ("events", $0.0, Int64($0.1)) }
  }
}

extension EventRecorder {
  convenience init(host: any ProviderHost, settings: LaunchDarklySettings, headers: any HeaderSource) {
    var options = Options(
      policy: LaunchDarklyEventPolicy.Options(
        url: (settings.eventsURL.appendingPath("mobile/events/bulk") ?? settings.eventsURL).text,
        timeoutMilliseconds: settings.connectionTimeoutMilliseconds, flushMilliseconds: settings.flushMilliseconds,
        retriesRefusals: settings.retriesRefusals, compresses: settings.compressesEvents))
    options.pipeline = "events:\(settings.mobileKeyDigest)"
    options.capacity = settings.eventCapacity
    options.mostRows = settings.mostEvents
    options.dropsAfterRetry = settings.isStrict
    options.longestRetryMilliseconds = settings.longestRetryMilliseconds
    options.durability = settings.eventDurability
    options.isEnabled = settings.sendsEvents
    options.summarizesPerContext = settings.summarizesPerContext
    options.redaction = settings.redaction
    self.init(host: host, options: options, headers: headers)
  }
}
