internal import HoistCore

/// What the decisions of one call leave to be done: events to send, listeners to tell, a profile to save.
///
/// One profile is looked up before the call and saved at most once after it, however many flags were decided (4.6).
/// Flags that `ENABLED_FLAGS_ONLY` leaves out of the answer count here like all others.
public struct DecideEffects: Sendable {
  /// In the order in which they are to be recorded.
  public private(set) var events: [UserEvent] = []
  /// In the order in which they are to be told.
  public private(set) var news: [OptimizelyNews] = []
  /// To be added to the stored profile.
  public private(set) var assignments: [SubjectContent.Assignment] = []

  public init() {}

  /// - Parameter wanted: what somebody listens to; nothing else is written.
  @inline(__always)
  mutating func add(
    _ decision: OptimizelyDecision, reasons: [DecisionReason], context: FrozenContext?, origin: EventOrigin,
    wanted: NotificationKinds
  ) {
    if decision.sendsImpression || decision.sendsHoldoutImpression {
      for impression in OptimizelyImpressions.of(decision) {
        add(impression, base: decision.base, context: context, origin: origin, wanted: wanted)
      }
    }
    if wanted.contains(.decision), let info = DecisionNotice.flag(decision, reasons: reasons) {
      news.append(OptimizelyNotices.decision(type: "flag", context: context, info: info))
    }
    if let assignment = decision.newAssignment { assignments.append(assignment) }
  }

  @inline(never)
  mutating func add(
    _ impression: Impression, base: UnsafeRawPointer, context: FrozenContext?, origin: EventOrigin,
    wanted: NotificationKinds
  ) {
    let event = EventWriter(base: base, context: context, client: origin.client).event(impression, origin.stamp())
    events.append(event)
    guard wanted.contains(.activate), let rule = impression.rule, let variation = impression.variation else { return }
    news.append(
      OptimizelyNotices.activate(
        experiment: (rule.pointee.id.bytes(base), rule.pointee.key.bytes(base)),
        variation: (variation.pointee.id.bytes(base), variation.pointee.key.bytes(base)), context: context, event: event,
        url: origin.url(event.region)))
  }

  /// The same but for the profile.
  var withoutAssignments: DecideEffects {
    var copy = self
    copy.assignments = []
    return copy
  }

  mutating func add(_ other: OptimizelyNews) { news.append(other) }
  mutating func add(_ assignment: SubjectContent.Assignment) { assignments.append(assignment) }
}
