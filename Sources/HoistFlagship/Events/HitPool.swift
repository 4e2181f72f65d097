internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import Synchronization

/// Gathers hits and sees to their delivery in batches (5.5; FS-14 to FS-20).
final class HitPool: VisitorQueue, @unchecked Sendable {
  static let pipelineName = "hits"

  /// Of a context; a larger one is written out at once.
  private static let maximumCopiedBytes = 8_192

  /// Whether `send` may wait for the store, or for a cache of the host's.
  let waitsForStore: Bool

  private let storage: HitStorage
  /// Consent hits, by what they say.
  private let given: Hit
  private let refused: Hit
  /// A visitor has refused consent since hits were looked up.
  private let wasRefused = Atomic(false)

  /// - Parameter activates: stored ones go before hits (5.5).
  init(
    host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, storage: HitStorage,
    telemetry: Telemetry, refusals: SubjectRefusals, before activates: ActivateReporter
  ) {
    self.storage = storage
    given = InternalHit.consent(true, clientName: settings.clientName)
    refused = InternalHit.consent(false, clientName: settings.clientName)
    var options = settings.hits.pipelineOptions(Self.pipelineName)
    options.flushAtRows = settings.hits.poolSize
    waitsForStore = options.durability == .immediate && storage.store.keepsValues
    if settings.hits.strategy == .none {
      options.flushAtRows = 1
      options.maximumInFlight = 8
    }
    super.init(
      options, host: host, settings: settings, status: status,
      policy: HitPolicy(host: host, settings: settings, telemetry: telemetry, refusals: refusals) { activates.sendKept() },
      refusals: refusals, store: storage.store)
  }

  /// Records a hit of a visitor (FS-71). With continuous caching it is stored when this returns, unless that takes too
  /// long, or the thread is one of the library's own. Any thread.
  /// - Parameter hasConsented: asked before and after.
  func send(_ hit: borrowing Hit, from identity: VisitorIdentity, hasConsented: @autoclosure () -> Bool) -> Status {
    send(hit.content, from: identity, hasConsented: hasConsented())
  }

  /// The same of what is borrowed for the call.
  @inline(never)
  func send(_ hit: HitContent, from identity: VisitorIdentity, hasConsented: @autoclosure () -> Bool) -> Status {
    if let flaw = hit.flaw {
      host.log.error("a hit is refused: \(flaw.message)")
      return .flagshipHitInvalid
    }
    if let refusal = refusal(hasConsented: hasConsented()) {
      host.log.info("a hit is dropped: \(refusal.flagshipReason)")
      return refusal
    }
    return record(HitType(hit.kind), .fields, hit.fields, identity, hasConsented, waits: waitsForStore ? .forCommit : .never)
  }

  /// Tells the service what the visitor has answered; passes without consent and survives a purge (5.6; FS-67).
  /// - Parameter deadline: until when the call may wait for the store; nil: it waits for a journal at most.
  func consent(_ isGiven: Bool, of identity: VisitorIdentity, waitsForStoreUntil deadline: Int64? = nil) {
    if let refusal = refusal(hasConsented: true) {
      return host.log.info("no consent hit is sent: \(refusal.flagshipReason)")
    }
    _ = record(
      .event, .fields, isGiven ? given.fields.bytes : refused.fields.bytes, identity, { true }, isSubjectToConsent: false,
      waits: deadline.map { .forStore(untilNanoseconds: $0) } ?? .forJournal)
    if !isGiven { return wasRefused.store(true, ordering: .relaxed) }
    if wasRefused.exchange(false, ordering: .relaxed) {
      storage.consentReturned()
      pipeline.lookForRows()
    }
  }

  /// Tells the service the visitor's context, which it does not see in bucketing mode (3.5).
  func segment(_ context: FrozenContext, of identity: VisitorIdentity, hasConsented: @autoclosure () -> Bool) -> Status {
    if let refusal = refusal(hasConsented: hasConsented()) { return refusal }
    // A copy is quicker than a text, and a context of many pairs is larger than its text.
    if context.bytes.count <= Self.maximumCopiedBytes {
      return record(.segment, .context(context), context.bytes, identity, hasConsented)
    }
    var writer = JSONWriter()
    InternalHit.segment(context, to: &writer)
    return writer.bytes.withUnsafeBytes { record(.segment, .text, $0, identity, hasConsented) }
  }

  @inline(never)
  private func record(
    _ type: HitType, _ form: RecordedHit.Tail, _ tail: ByteView, _ identity: VisitorIdentity, _ hasConsented: () -> Bool,
    isSubjectToConsent: Bool = true, waits wait: EventPipeline.Wait = .never
  ) -> Status {
    RecordedHit.withHead(type, of: identity, form) { head, subject in
      record(of: identity, hasConsented: hasConsented) {
        isSubjectToConsent && type != .segment ? Array(head) + tail : nil
      } _: {
        pipeline.record(
          head, tail: tail, subject: isSubjectToConsent ? subject : .noBytes, unixMilliseconds: clock.recentUnixMilliseconds,
          waits: wait
        ).status
      }
    }
  }
}
