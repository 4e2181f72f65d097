public import HoistCore

/// What the decisions of one call leave to be done: events to send, observers to tell, a profile to save.
///
/// One profile is looked up before the call and saved at most once after it, however many flags were decided (4.6).
/// Flags that `ENABLED_FLAGS_ONLY` leaves out of the answer count here like all others.
public struct DecideEffects {
  /// In the order in which they are to be recorded.
  public private(set) var events: [UserEvent] = []
  /// `decisionInfo` of each notification of type `flag`.
  public private(set) var notices: [[UInt8]] = []
  /// To be added to the stored profile.
  public private(set) var assignments: [SubjectContent.Assignment] = []

  public init() {}

  public mutating func add(
    _ decision: OptimizelyDecision, reasons: [DecisionReason], context: FrozenContext?, client: EventClient,
    stamp: () -> EventStamp
  ) {
    events += OptimizelyImpressions.events(of: decision, context: context, client: client, stamp: stamp)
    if let notice = DecisionNotice.flag(decision, reasons: reasons) { notices.append(notice) }
    if let assignment = decision.newAssignment { assignments.append(assignment) }
  }
}
