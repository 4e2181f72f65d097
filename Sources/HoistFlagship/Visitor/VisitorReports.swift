internal import HoistCore

/// The reports of visitors to the service (protocols/flagship.md 5.3, 5.6). Any thread.
struct VisitorReports: Sendable {
  let hits: HitPool
  let activates: ActivateReporter

  /// - Parameter deadline: until when the call may wait for the store.
  func consent(_ isGiven: Bool, _ identity: VisitorIdentity, waitsForStoreUntil deadline: Int64? = nil) {
    hits.consent(isGiven, of: identity, waitsForStoreUntil: deadline)
  }
}
