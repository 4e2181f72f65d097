internal import HoistCore

/// What visitors tell the service of themselves (protocols/flagship.md 5.3, 5.6). Any thread.
struct VisitorReports: Sendable {
  /// How long a refusal waits for the store.
  private static let refusalLimitMilliseconds: Int64 = 2_000

  let hits: HitPool
  let activates: ActivateReporter

  /// A consent hit.
  func consent(_ isGiven: Bool, _ identity: VisitorIdentity) { hits.consent(isGiven, of: identity) }

  /// A consent hit that says no, after everything else has gone: once it is in the store, so is that, and neither a crash
  /// nor a kill brings it back (FS-66, FS-67).
  func refused(_ identity: VisitorIdentity) {
    // Pipelines store each for itself: the hit must not overtake what goes of the other one.
    let deadline = Deadline.nanoseconds(afterMilliseconds: Self.refusalLimitMilliseconds)
    activates.forget(identity, waitsForStoreUntil: deadline)
    hits.forget(identity)
    hits.consent(false, of: identity, waitsForStoreUntil: deadline)
  }

  /// A segment hit, in bucketing mode.
  func segment(_ context: FrozenContext, _ identity: VisitorIdentity) { hits.segment(context, of: identity) }

  /// Everything that waits to be sent of the visitor goes, but for consent hits.
  func forget(_ identity: VisitorIdentity) {
    hits.forget(identity)
    activates.forget(identity)
  }
}
