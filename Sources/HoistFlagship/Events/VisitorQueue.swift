internal import HoistBase
internal import HoistCore

/// What waits to be sent of visitors, hits or exposures: recorded while they consent, forgotten when they refuse, held in
/// panic (5.1, 5.5, 5.6).
class VisitorQueue: ClientPart, @unchecked Sendable {
  let host: any ProviderHost
  /// The host's, which is asked for each row.
  let clock: any Clock
  let settings: FlagshipSettings
  let status: StatusMachine
  let pipeline: EventPipeline
  let duplicates: DuplicateWindow

  /// - Parameter store: where rows are kept until they have arrived.
  init(
    _ options: EventPipeline.Options, host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine,
    policy: any EventPolicy, store: Store
  ) {
    self.host = host
    clock = host.clock
    self.settings = settings
    self.status = status
    duplicates = DuplicateWindow(milliseconds: settings.hits.deduplicationMilliseconds, clock: host.clock)
    pipeline = EventPipeline(
      options: options, policy: policy, sink: host.delivery, store: store, log: host.log, clock: host.clock,
      scheduler: host.scheduler, entropy: host.entropy)
  }

  /// Why nothing is taken of a visitor now (5.1; 5.4, step 2); nil where it is.
  final func refusal(hasConsented: Bool) -> Status? {
    switch status.current {
    case .notInitialized: .flagshipNotInitialized
    case .panic: .flagshipPanic
    case .initializing, .initialized: hasConsented ? nil : .flagshipNoConsent
    }
  }

  /// Everything of a visitor under all of its ids goes but consent hits, what is on its way included (5.6). Any thread.
  /// - Parameter deadline: until when the call may wait, so that what is recorded afterwards is stored after that.
  final func forget(_ identity: VisitorIdentity, waitsForStoreUntil deadline: Int64? = nil) {
    let ids = identity.allIDs
    for (place, id) in ids.enumerated() {
      // Purges are carried out in their order.
      pipeline.purge(subject: String(decoding: id, as: UTF8.self), waitsForStoreUntil: place == ids.count - 1 ? deadline : nil)
    }
  }

  // MARK: Life, on the scheduler's thread

  final func start() {
    setOnline(host.isOnline)
    pipeline.start()
  }

  final func stop() { pipeline.stop() }

  final func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  /// In panic nothing is sent, and what waits goes when it is over (5.5). Any thread.
  final func setPanic(_ isPanic: Bool) { if isPanic { pipeline.hold(.notReady) } else { pipeline.lift(.notReady) } }

  final func flush(_ completion: @escaping @Sendable (Bool) -> Void) { pipeline.flush(completion: completion) }

  final var statistics: [(group: String, name: String, value: Int64)] {
    let name = pipeline.options.name
    return pipeline.counters.listing(name) + [(name, "duplicates", duplicates.droppedCount)]
  }
}
