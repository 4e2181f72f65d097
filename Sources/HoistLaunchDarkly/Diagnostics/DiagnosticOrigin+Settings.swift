internal import HoistBase
internal import HoistCore

extension DiagnosticOrigin {
  init(_ settings: LaunchDarklySettings) {
    configuration = [
      ("customBaseURI", .bool(settings.hasCustomBaseURL)),
      ("customEventsURI", .bool(settings.hasCustomEventsURL)),
      ("customStreamURI", .bool(settings.hasCustomStreamURL)),
      ("eventsCapacity", .int(Int64(settings.eventCapacity))),
      ("connectTimeoutMillis", .int(settings.connectionTimeoutMilliseconds)),
      ("eventsFlushIntervalMillis", .int(settings.flushMilliseconds)),
      ("streamingDisabled", .bool(!settings.streams)),
      ("allAttributesPrivate", .bool(settings.allAttributesArePrivate)),
      ("pollingIntervalMillis", .int(settings.pollingMilliseconds)),
      ("backgroundPollingIntervalMillis", .int(settings.backgroundPollingMilliseconds)),
      ("useReport", .bool(settings.usesReport)),
      ("backgroundPollingDisabled", .bool(!settings.updatesInBackground)),
      ("evaluationReasonsRequested", .bool(settings.asksForReasons)),
      ("maxCachedContexts", .int(Int64(max(-1, settings.maximumCachedContexts)))),
      ("mobileKeyCount", .int(Int64(1 + settings.secondaryMobileKeys.count))),
      ("diagnosticRecordingIntervalMillis", .int(settings.diagnosticMilliseconds)),
      ("customHeaders", .bool(!settings.additionalHeaders.isEmpty)),
    ]
    keySuffix = settings.mobileKey.withRevealedBytes { UTF8Text.repaired(ByteView(rebasing: $0.suffix(6))) }
    wrapperName = settings.wrapperName
    wrapperVersion = settings.wrapperVersion
    isBackgroundEnabled = settings.updatesInBackground
  }
}

extension DiagnosticReporter {
  /// nil where no diagnostics are sent.
  convenience init?(host: any ProviderHost, settings: LaunchDarklySettings, events: EventRecorder) {
    guard settings.sendsDiagnostics, settings.sendsEvents else { return nil }
    self.init(
      host: host,
      options: Options(
        url: (settings.eventsURL.appendingPath("mobile/events/diagnostic") ?? settings.eventsURL).text,
        storeKey: "diagnostics:\(settings.mobileKeyDigest)", intervalMilliseconds: settings.diagnosticMilliseconds,
        timeoutMilliseconds: settings.connectionTimeoutMilliseconds, compresses: settings.compressesEvents),
      origin: DiagnosticOrigin(settings))
    dropped = { [weak events] in events?.capacity.dropped ?? 0 }
    events.policy.made = { [weak self] in self?.batchMade($0) }
  }
}
