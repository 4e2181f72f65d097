internal import HoistBase
internal import HoistCore

/// The queue of hits or exposures to be sent: recorded while they consent, forgotten when they refuse, held in panic
/// (5.1, 5.5, 5.6).
class VisitorQueue: ClientPart, @unchecked Sendable {
  let host: any ProviderHost
  /// The host's clock, read for each row.
  let clock: any Clock
  let settings: FlagshipSettings
  let status: StatusMachine
  let pipeline: EventPipeline
  private let refusals: SubjectRefusals
  private let duplicates: DuplicateWindow

  /// - Parameter store: where rows are stored until they have arrived.
  init(
    _ options: EventPipeline.Options, host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine,
    policy: any EventPolicy, refusals: SubjectRefusals, store: Store
  ) {
    self.host = host
    self.refusals = refusals
    clock = host.clock
    self.settings = settings
    self.status = status
    duplicates = DuplicateWindow(milliseconds: settings.hits.deduplicationMilliseconds, clock: host.clock)
    var options = options
    options.pace = RegularPace(interval: 0, limit: settings.longestRetryMilliseconds, base: 1_000)
    pipeline = EventPipeline(options, policy: policy, host: host, store: store)
  }

  /// Why nothing is taken of a visitor now (5.1; 5.4, step 2); nil where it is.
  final func refusal(hasConsented: Bool) -> Status? {
    switch status.current {
    case .notInitialized: .flagshipNotInitialized
    case .panic: .flagshipPanic
    case .initializing, .initialized: hasConsented ? nil : .flagshipNoConsent
    }
  }

  /// Records something of a visitor, unless the same was recorded a short while ago.
  /// - Parameters:
  ///   - hasConsented: asked again when it is recorded: a refusal that came meanwhile has purged only earlier records.
  ///   - identity: all that makes it the same; nil for what may come again.
  @inline(__always)
  final func record(
    of visitor: VisitorIdentity, hasConsented: () -> Bool, sameAs identity: () -> [UInt8]?, _ body: () -> Status
  ) -> Status {
    let known = duplicates.isOn ? identity() : nil
    if let known, !duplicates.admits(known) {
      host.log.debug("\(pipeline.options.name): the same as a short while ago is dropped")
      return .ok
    }
    var status = body()
    if status.isTaken, !hasConsented() {
      refusals.purge(visitor.allIDs)
      status = .flagshipNoConsent
    }
    if let known, !status.isTaken { duplicates.forget(known) }
    return status
  }

  // MARK: Life, on the scheduler's thread

  final func start() {
    host.scheduler.assertCurrent()
    setOnline(host.isOnline)
    pipeline.start()
  }

  final func stop() { pipeline.stop() }

  final func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  /// In panic nothing is sent, and what waits goes when it is over (5.5). Any thread.
  final func setPanic(_ isPanic: Bool) { if isPanic { pipeline.hold(.silenced) } else { pipeline.lift(.silenced) } }

  final func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { pipeline.flush(completion: completion) }

  final var statistics: [(group: String, name: String, value: Int64)] {
    let name = pipeline.options.name
    return pipeline.counters.listing(name) + [(name, "duplicates", duplicates.droppedCount)]
  }
}
