internal import HoistCore

/// A decided variation, to be stored.
struct DecidedAssignment {
  var experimentID: Int64
  var variationID: Int64
  var rule: RuleType
  var isTracked: Bool
}

/// What follows from decisions (KAM-29, KAM-B12).
extension KameleoonVisitor {
  /// Stores the decisions, except those that another thread has stored meanwhile.
  func assign(_ decided: [DecidedAssignment], _ registry: KameleoonVisitorRegistry) {
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
