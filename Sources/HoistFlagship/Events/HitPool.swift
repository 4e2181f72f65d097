internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import Synchronization

/// Gathers hits and sees to their delivery in batches (5.5; FS-14 to FS-20).
final class HitPool: ClientPart, @unchecked Sendable {
  static let pipelineName = "hits"

  /// Of a context; a larger one is written out at once.
  private static let maximumCopiedBytes = 8_192

  private let host: any ProviderHost
  private let clock: any Clock
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let policy: HitPolicy
  private let pipeline: EventPipeline
  private let duplicates: DuplicateWindow
  private let storage: HitStorage
  /// The members of consent hits, by what they say.
  private let given: [UInt8]
  private let refused: [UInt8]
  /// Somebody has refused since hits were looked up.
  private let wasRefused = Atomic(false)

  /// - Parameter activates: of whom kept ones go before hits (5.5).
  init(
    host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, storage: HitStorage,
    telemetry: Telemetry, before activates: ActivateReporter
  ) {
    self.host = host
    clock = host.clock
    self.settings = settings
    self.status = status
    self.storage = storage
    given = InternalHit.consent(true, clientName: settings.clientName)
    refused = InternalHit.consent(false, clientName: settings.clientName)
    policy = HitPolicy(host: host, settings: settings, telemetry: telemetry) { activates.sendKept() }
    duplicates = DuplicateWindow(milliseconds: settings.hits.deduplicationMilliseconds, clock: host.clock)
    var options = settings.hits.pipelineOptions(Self.pipelineName)
    options.flushAtRows = settings.hits.poolSize
    if settings.hits.strategy == .none {
      options.flushAtRows = 1
      options.maximumInFlight = 8
    }
    pipeline = EventPipeline(
      options: options, policy: policy, sink: host.delivery, store: storage.store, log: host.log, clock: host.clock,
      scheduler: host.scheduler, entropy: host.entropy)
  }

  /// Records a hit of a visitor (FS-71). With continuous caching it is stored when this returns, unless that takes too
  /// long, or the thread is one of the library's own. Any thread.
  ///
  /// Whoever asks looks again afterwards whether the visitor still consents, and else calls `forget`.
  func send(_ hit: Hit, from identity: VisitorIdentity, hasConsented: Bool) -> Status {
    if let flaw = hit.flaw {
      host.log.error("a hit is refused: \(flaw.message)")
      return .flagshipHitInvalid
    }
    if let refusal = refusal(hasConsented: hasConsented) { return refusal }
    return hit.members.withUnsafeBytes { record(HitType(hit.kind), $0, identity) }
  }

  /// Why no hit of a visitor is taken now (5.1); nil where it is.
  func refusal(hasConsented: Bool) -> Status? {
    let refusal: Status
    switch status.current {
    case .notInitialized: refusal = .flagshipNotInitialized
    case .panic: refusal = .flagshipPanic
    case .initializing, .initialized:
      if hasConsented { return nil }
      refusal = .flagshipNoConsent
    }
    host.log.info("a hit is dropped: \(refusal.flagshipReason)")
    return refusal
  }

  /// Tells the service what the visitor has answered; passes without consent and survives `forget` (5.6; FS-67).
  /// - Parameter deadline: until when the call may wait for the store; nil: it does not.
  func consent(_ isGiven: Bool, of identity: VisitorIdentity, waitsForStoreUntil deadline: Int64? = nil) {
    switch status.current {
    case .notInitialized: return host.log.info("no consent hit is sent: notInitialized")
    case .panic: return host.log.info("no consent hit is sent: panic")
    case .initializing, .initialized: break
    }
    _ = (isGiven ? given : refused).withUnsafeBytes {
      record(
        .event, $0, identity, isSubjectToConsent: false, waitsForCommit: deadline != nil, untilNanoseconds: deadline)
    }
    if !isGiven { return wasRefused.store(true, ordering: .relaxed) }
    if wasRefused.exchange(false, ordering: .relaxed) {
      storage.consentReturned()
      pipeline.lookForRows()
    }
  }

  /// Tells the service the visitor's context, which it does not see in bucketing mode (3.5).
  func segment(_ context: FrozenContext, of identity: VisitorIdentity) {
    guard refusal(hasConsented: true) == nil else { return }
    // A copy is quicker than a text, and a context of many pairs is larger than its text.
    if context.bytes.count <= Self.maximumCopiedBytes {
      _ = record(.segment, context.bytes, identity, context: context, waitsForCommit: false)
    } else {
      var writer = JSONWriter()
      InternalHit.segment(context, to: &writer)
      _ = writer.bytes.withUnsafeBytes { record(.segment, $0, identity, waitsForCommit: false) }
    }
  }

  /// - Parameter context: whose bytes the members are; nil where they are text.
  private func record(
    _ type: HitType, _ members: ByteView, _ identity: VisitorIdentity, context: FrozenContext? = nil,
    isSubjectToConsent: Bool = true, waitsForCommit: Bool = true, untilNanoseconds deadline: Int64? = nil
  ) -> Status {
    RecordedHit.withHead(type, of: identity, context: context) { head in
      if duplicates.isOn, isSubjectToConsent, type != .segment, !duplicates.admits(Array(head) + members) {
        host.log.debug("an identical hit is dropped")
        return .ok
      }
      return identity.visitorID.withUnsafeBytes { subject in
        let outcome = pipeline.record(
          head, tail: members, subject: isSubjectToConsent ? subject : .noBytes, unixMilliseconds: clock.unixMilliseconds,
          waitsForCommit: waitsForCommit, untilNanoseconds: deadline)
        if case .dropped = outcome { return .limit }
        return .ok
      }
    }
  }

  /// Everything of a visitor but consent hits goes, what is on its way included (5.6). Any thread.
  func forget(subject: [UInt8]) { pipeline.purge(subject: String(decoding: subject, as: UTF8.self)) }

  /// The same under both of its ids.
  func forget(_ identity: VisitorIdentity) {
    forget(subject: identity.visitorID)
    if let anonymous = identity.anonymousID { forget(subject: anonymous) }
  }

  // MARK: Life, on the scheduler's thread

  func start() {
    setOnline(host.isOnline)
    pipeline.start()
  }

  func stop() { pipeline.stop() }

  func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }

  /// In panic nothing is sent, and what waits goes when it is over (5.5). Any thread.
  func setPanic(_ isPanic: Bool) { if isPanic { pipeline.hold(.notReady) } else { pipeline.lift(.notReady) } }

  func flush(_ completion: @escaping @Sendable (Bool) -> Void) { pipeline.flush(completion: completion) }

  var statistics: [(group: String, name: String, value: Int64)] {
    pipeline.counters.listing(Self.pipelineName) + [(Self.pipelineName, "duplicates", duplicates.droppedCount)]
  }
}
