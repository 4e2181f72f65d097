internal import HoistCore

/// What visitors tell the service of themselves (protocols/flagship.md 5.3, 5.6). Any thread.
struct VisitorReports: Sendable {
  /// A consent hit.
  var consent: @Sendable (_ isGiven: Bool, VisitorIdentity) -> Void
  /// A segment hit, in bucketing mode.
  var segment: @Sendable (FrozenContext, VisitorIdentity) -> Void
  /// Everything that waits to be sent of the visitor goes, but for consent hits.
  var forget: @Sendable (VisitorIdentity) -> Void
}
