internal import HoistBase
internal import HoistCore

/// What follows from decisions of one visitor: assignments to keep, and whether it is due for tracking.
struct DecisionEffects {
  /// Empty where everything is stored already, so that an evaluation that changes nothing allocates nothing.
  private(set) var assignments: [DecidedAssignment] = []
  private(set) var isDue = false

  @inline(__always)
  mutating func take(
    _ choice: Choice, _ known: borrowing VisitorFacts.Content, _ snapshot: Snapshot, isTracked: Bool, now: Int64
  ) {
    if choice.isSimulated { return }
    let isStrict = snapshot.kameleoonRoot.pointee.isStrict
    // The vendor's SDK reports the holdout's also where nothing is to be (A6).
    if !choice.holdoutRow.isNone {
      take(choice.holdoutRow, known, snapshot.base, isTracked: isTracked || isStrict, isStrict, now)
    }
    if !choice.row.isNone { take(choice.row, known, snapshot.base, isTracked: isTracked, isStrict, now) }
    if isTracked, choice.refusal == .none { isDue = true }
  }

  @inline(__always)
  private mutating func take(
    _ place: Place<RowRecord>, _ known: borrowing VisitorFacts.Content, _ base: UnsafeRawPointer, isTracked: Bool,
    _ isStrict: Bool, _ now: Int64
  ) {
    let row = base.at(place)
    guard row.pointee.variationID != -1, !row.pointee.rule.isNone else { return }
    let isSettled =
      !isStrict && now &- known.lastEvent < VisitorLimits.lastEventGrainMilliseconds
      && known.assignments.isSettled(
        row.pointee.experimentID, variationID: row.pointee.variationID, isTracked: isTracked, visitStart: known.visitStart)
    if !isSettled { append(row, base, isTracked) }
  }

  @inline(never)
  private mutating func append(_ row: UnsafePointer<RowRecord>, _ base: UnsafeRawPointer, _ isTracked: Bool) {
    let rule = base.at(row.pointee.rule)
    assignments.append(
      DecidedAssignment(
        experimentID: row.pointee.experimentID, variationID: row.pointee.variationID, rule: rule.pointee.type,
        isTracked: isTracked))
  }

  /// Outside the reading section.
  @inline(__always)
  mutating func apply(to visitor: KameleoonVisitor, _ registry: KameleoonVisitorRegistry) {
    keep(for: visitor, registry)
    if isDue { registry.tracker.queue(visitor) }
  }

  @inline(__always)
  mutating func keep(for visitor: KameleoonVisitor, _ registry: KameleoonVisitorRegistry) {
    if assignments.isEmpty { return }
    visitor.assign(assignments, registry)
    assignments.removeAll(keepingCapacity: true)
  }
}

extension Choice.Refusal {
  var status: Status {
    switch self {
    case .none: .ok
    case .environmentDisabled: .kameleoonFeatureEnvironmentDisabled
    case .blocked: .kameleoonFeatureEvaluationBlocked
    case .tooCostly: .limit
    }
  }
}

extension Choice {
  @inline(__always)
  func row(in base: UnsafeRawPointer) -> UnsafePointer<RowRecord> { base.at(row) }
}
