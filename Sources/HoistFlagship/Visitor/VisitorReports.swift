internal import HoistCore

/// What visitors tell the service of themselves (protocols/flagship.md 5.3, 5.6). Any thread.
struct VisitorReports: Sendable {
  let hits: HitPool
  let activates: ActivateReporter

  /// A consent hit.
  func consent(_ isGiven: Bool, _ identity: VisitorIdentity) { hits.consent(isGiven, of: identity) }

  /// A consent hit that says no, after everything else has gone: once it is in the store, so is that, and neither a crash
  /// nor a kill brings it back (FS-66, FS-67).
  /// - Parameters:
  ///   - isReported: false for no consent hit.
  ///   - deadline: until when the call may wait for the store.
  func refused(_ identity: VisitorIdentity, isReported: Bool, waitsForStoreUntil deadline: Int64) {
    // Pipelines store each for itself: the hit must not overtake what goes of the other one.
    activates.forget(identity, waitsForStoreUntil: deadline)
    guard isReported else { return hits.forget(identity, waitsForStoreUntil: deadline) }
    hits.forget(identity)
    hits.consent(false, of: identity, waitsForStoreUntil: deadline)
  }

  /// A segment hit, in bucketing mode.
  func segment(_ context: FrozenContext, _ identity: VisitorIdentity) -> Status { hits.segment(context, of: identity) }

  /// Everything that waits to be sent of the visitor goes, but for consent hits.
  func forget(_ identity: VisitorIdentity) {
    hits.forget(identity)
    activates.forget(identity)
  }
}
