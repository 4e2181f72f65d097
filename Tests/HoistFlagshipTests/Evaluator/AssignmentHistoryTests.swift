import HoistBase
import Testing

@testable import HoistFlagship

@Suite("What a visitor was assigned stays (FS-100; no client)") struct AssignmentHistoryTests {
  private func history(_ pairs: [(String, String)]) -> AssignmentHistory {
    pairs.reduce(.empty) { history, pair in
      pair.0.withBytes { group in
        pair.1.withBytes { variation in history.adding([.init(group: group, variation: variation)]) }
      }
    }
  }

  private func pairs(_ history: AssignmentHistory) -> [String] {
    history.assignments.map { "\(String(decoding: $0.group, as: UTF8.self)):\(String(decoding: $0.variation, as: UTF8.self))" }
  }

  @Test func theOldestAssignmentOfAGroupHolds() {
    #expect(pairs(history([("g", "a"), ("h", "b"), ("g", "c")])) == ["g:a", "h:b"])
  }

  @Test func emptyIdsAreLeftOut() {
    #expect(pairs(history([("", "a"), ("g", "")])).isEmpty)
  }

  @Test func assignmentsBeyondTheLimitAreNotRemembered() {
    var texts = TextArena()
    let assignments = (0..<(AssignmentHistory.maximumCount + 10)).map { number in
      let id = "g\(number)".withBytes { texts.keep($0) }
      return AssignmentHistory.Assignment(group: id, variation: id)
    }
    let history = AssignmentHistory(assignments)
    #expect(history.count == AssignmentHistory.maximumCount)
    #expect(history.variation(of: "g0") != nil)
    #expect(history.variation(of: "g\(AssignmentHistory.maximumCount)") == nil)
  }
}
