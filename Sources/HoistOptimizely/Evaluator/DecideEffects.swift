internal import HoistCore

/// The effects of the decisions of one call: events to send, observers to tell, a profile to save.
///
/// One profile is looked up before the call and saved at most once after it, however many flags were decided (4.6).
/// Flags that `ENABLED_FLAGS_ONLY` leaves out of the answer count here like all others.
public struct DecideEffects: Sendable {
  private struct Content {
    var events: [UserEvent] = []
    var news: [OptimizelyNews] = []
    var assignments: [SubjectContent.Assignment] = []
    var costlyFlags: [[UInt8]] = []
  }

  /// Made for the first effect: most calls have none, and pass nothing on.
  private final class Box: @unchecked Sendable {
    var content: Content
    init(_ content: Content) { self.content = content }
  }

  private var box: Box?

  public init() {}

  public var isEmpty: Bool { box == nil }
  /// In the order in which they are to be recorded.
  public var events: [UserEvent] { box?.content.events ?? [] }
  /// In the order of notification.
  public var news: [OptimizelyNews] { box?.content.news ?? [] }
  /// Keys of flags whose rules cost more than an evaluation may.
  var costlyFlags: [[UInt8]] { box?.content.costlyFlags ?? [] }
  /// To be added to the stored profile.
  public var assignments: [SubjectContent.Assignment] { box?.content.assignments ?? [] }

  private mutating func change(_ body: (inout Content) -> Void) {
    if let box, isKnownUniquelyReferenced(&self.box) { return body(&box.content) }
    let changed = Box(box?.content ?? Content())
    body(&changed.content)
    box = changed
  }

  /// Impressions without an observer go to the origin's reporter at once, where it has one.
  /// - Parameter wanted: the effects that are observed; nothing else is written.
  @inline(__always)
  mutating func add(
    _ decision: OptimizelyDecision, reasons: [NotedReason], context: FrozenContext?, origin: EventOrigin,
    wanted: NotificationKinds
  ) {
    OptimizelyImpressions.forEach(of: decision) { impression in
      add(impression, snapshot: Snapshot(decision.base), context: context, origin: origin, wanted: wanted)
    }
    if wanted.contains(.decision) { addNews(of: decision, reasons: reasons, context: context) }
    if let assignment = decision.newAssignment { add(assignment) }
    if decision.isTooCostly { add(costlyFlag: Array(decision.flagKey)) }
  }

  private mutating func addNews(of decision: OptimizelyDecision, reasons: [NotedReason], context: FrozenContext?) {
    guard let info = DecisionNotice.flag(decision, reasons: reasons.map(\.reason)) else { return }
    add(OptimizelyNotices.decision(type: "flag", context: context, info: info))
  }

  @inline(__always)
  mutating func add(
    _ impression: Impression, snapshot: Snapshot, context: FrozenContext?, origin: EventOrigin, wanted: NotificationKinds
  ) {
    if !wanted.contains(.activate), let reporter = origin.reporter,
      reporter.keep(impression, snapshot: snapshot, context: context)
    {
      return
    }
    write(impression, base: snapshot.base, context: context, origin: origin, wanted: wanted)
  }

  @inline(never)
  private mutating func write(
    _ impression: Impression, base: UnsafeRawPointer, context: FrozenContext?, origin: EventOrigin, wanted: NotificationKinds
  ) {
    let event = EventWriter(base: base, context: context, client: origin.client).event(impression, origin.stamp())
    change { $0.events.append(event) }
    guard wanted.contains(.activate), let rule = impression.rule, let variation = impression.variation else { return }
    add(
      OptimizelyNotices.activate(
        experiment: (rule.pointee.id.bytes(base), rule.pointee.key.bytes(base)),
        variation: (variation.pointee.id.bytes(base), variation.pointee.key.bytes(base)), context: context, event: event,
        url: origin.url(event.region)))
  }

  /// The same but for the profile.
  var withoutAssignments: DecideEffects {
    var copy = self
    copy.change { $0.assignments = [] }
    return copy
  }

  mutating func add(costlyFlag key: [UInt8]) { change { $0.costlyFlags.append(key) } }
  mutating func add(_ other: OptimizelyNews) { change { $0.news.append(other) } }
  mutating func add(_ assignment: SubjectContent.Assignment) { change { $0.assignments.append(assignment) } }
}
