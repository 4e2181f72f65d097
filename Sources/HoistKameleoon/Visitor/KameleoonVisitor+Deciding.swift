internal import CShims
internal import HoistBase
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
  /// Keeps what was decided. Where nothing changes, nothing is written and no lock is taken.
  func assign(_ decided: some Collection<DecidedAssignment>, now: Int64) {
    if decided.isEmpty || isSettled(decided, now: now) { return }
    change { draft in
      for one in decided where !draft.isSettled(one) {
        draft.assign(one.experimentID, one.variationID, one.rule, isTracked: one.isTracked)
      }
    }
  }

  /// These segments matched.
  func target(_ segments: [Int64]) {
    guard !segments.isEmpty else { return }
    change { $0.target(segments) }
  }

  private func isSettled(_ decided: some Collection<DecidedAssignment>, now: Int64) -> Bool {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    guard let facts = published.current else { return false }
    return facts._withUnsafeGuaranteedRef { facts in
      // Vendor's own: an untracked decision takes back an exposure that waits.
      if isStrict || now &- facts.content.lastEvent >= VisitorLimits.lastEventGrainMilliseconds { return false }
      return decided.allSatisfy { facts.content.hasSettled($0) }
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
