internal import HoistBase
internal import HoistCore

/// Sends exposures, and notifies the host of those that arrived (3.4, 5.4; FS-26 to FS-29).
final class ActivateReporter: VisitorQueue, @unchecked Sendable {
  static let pipelineName = "activates"

  /// Whether the host hears of exposures.
  var isTold: Bool { status.hearsOfExposures }

  init(
    host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, telemetry: Telemetry, refusals: SubjectRefusals,
    store: Store
  ) {
    var options = settings.hits.pipelineOptions(Self.pipelineName)
    // At once, unless asked otherwise; what fails waits for the next exposure, or the interval.
    options.flushAtRows = settings.hits.batchesActivates ? settings.hits.poolSize : 1
    options.maximumInFlight = 4
    super.init(
      options, host: host, settings: settings, status: status,
      policy: ActivatePolicy(host: host, settings: settings, telemetry: telemetry, refusals: refusals, status: status),
      refusals: refusals, store: store)
  }

  /// Records an exposure; never waits. Any thread.
  /// - Parameter hasConsented: asked before and after.
  /// - Returns: `.limit` when there is no room.
  @discardableResult
  func expose(_ exposure: Exposure, of visitor: VisitorIdentity, hasConsented: @autoclosure () -> Bool) -> Status {
    if let refusal = refusal(hasConsented: hasConsented()) {
      host.log.debug("an exposure is not sent: \(refusal.flagshipReason)")
      return refusal
    }
    let now = clock.recentUnixMilliseconds
    return record(of: visitor, hasConsented: hasConsented, sameAs: { identity(of: exposure) }) {
      RecordedExposure.with(exposure, isTold: isTold) { record, visitorID, context in
        pipeline.record(record, tail: context, subject: visitorID, unixMilliseconds: now, waits: .never).status
      }
    }
  }

  /// The identity of an exposure: what is sent to the service.
  private func identity(of exposure: Exposure) -> [UInt8] {
    RecordedExposure.with(exposure, isTold: false) { record, _, _ in Array(record) }
  }

  /// Hands over what was kept, before hits go (5.5), unless the pause after a failure goes on. On the scheduler's thread.
  func sendKept() { pipeline.sendAtOnce(cutsPausesShort: false) }
}
