internal import HoistCore

/// A variation that a decision came to, to be kept.
struct DecidedAssignment {
  var experimentID: Int64
  var variationID: Int64
  var rule: RuleType
  var isTracked: Bool
}

/// What follows from decisions (KAM-29, KAM-B12).
extension KameleoonVisitor {
  /// Keeps what was decided, but for what another thread has kept meanwhile.
  func assign(_ decided: [DecidedAssignment], _ registry: VisitorRegistry) {
    registry.change(self) { draft in
      for one in decided where !draft.isSettled(one) {
        draft.assign(one.experimentID, one.variationID, one.rule, isTracked: one.isTracked)
      }
    }
  }
}

extension VisitorFacts.Content {
  func hasSettled(_ decided: DecidedAssignment) -> Bool {
    assignments.isSettled(
      decided.experimentID, variationID: decided.variationID, isTracked: decided.isTracked, visitStart: visitStart)
  }
}

extension VisitorDraft {
  func isSettled(_ decided: DecidedAssignment) -> Bool { !isStrict && content.hasSettled(decided) }
}
