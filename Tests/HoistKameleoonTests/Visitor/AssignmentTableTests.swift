import Testing

@testable import HoistKameleoon

@Suite("What a visitor was assigned (KAM-29; no client)") struct AssignmentTableTests {
  private func assignment(_ experiment: Int64, _ variation: Int64 = 1, isUnsent: Bool = true, time: Int64 = 100) -> Assignment {
    Assignment(experimentID: experiment, variationID: variation, rule: .experimentation, isUnsent: isUnsent, time: time)
  }

  @Test func anExperimentHasOneVariationAndKeepsItsPlace() {
    var table = AssignmentTable((1...40).map { assignment($0) })
    table.set(assignment(7, 2))
    #expect(table.entries.map(\.experimentID) == Array(1...40))
    #expect(table[7]?.variationID == 2)
    #expect(table[41] == nil)
    #expect(AssignmentTable()[1] == nil)
  }

  @Test func experimentsThatAreFarApartAreAllFound() {
    let ids = (0..<1_000).map { Int64($0) &* 4_294_967_296 &- 5 }
    let table = AssignmentTable(ids.map { assignment($0, $0) })
    #expect(table.entries.count == 1_000)
    #expect(ids.allSatisfy { table[$0]?.variationID == $0 })
    #expect(table[3] == nil)
  }

  @Test func nothingChangesForTheSameVariationInThisVisit() {
    let table = AssignmentTable([assignment(1), assignment(2, isUnsent: false)])
    #expect(table.isSettled(1, variationID: 1, isTracked: true, visitStart: 100))
    // A8: an exposure that waits is not lost by an untracked evaluation.
    #expect(table.isSettled(1, variationID: 1, isTracked: false, visitStart: 100))
    #expect(!table.isSettled(1, variationID: 2, isTracked: false, visitStart: 100))
    #expect(!table.isSettled(1, variationID: 1, isTracked: true, visitStart: 101))
    #expect(!table.isSettled(2, variationID: 1, isTracked: true, visitStart: 100))
    #expect(table.isSettled(2, variationID: 1, isTracked: false, visitStart: 100))
    #expect(!table.isSettled(3, variationID: 1, isTracked: false, visitStart: 100))
  }

  @Test func exposuresGoAndComeBack() {
    var table = AssignmentTable((1...20).map { assignment($0) })
    table.setUnsent(false, of: 13)
    table.setUnsent(false, of: 99)
    #expect(table.entries.filter { !$0.isUnsent }.map(\.experimentID) == [13])
    table.setUnsent(true, of: 13)
    #expect(table[13]?.isUnsent == true)
  }

  @Test func whatIsRemovedIsNotFoundAnyMore() {
    var table = AssignmentTable((1...20).map { assignment($0, time: $0) })
    table.removeAll { $0.time < 15 }
    #expect(table.entries.map(\.experimentID) == [15, 16, 17, 18, 19, 20])
    #expect(table[14] == nil)
    #expect(table[20] != nil)
  }

  @Test func whereThereAreTooManyTheNewestHalfStaysAlsoOfOneMoment() {
    var table = AssignmentTable((1...20).map { assignment($0, time: $0 <= 4 ? 200 : 100) })
    table.keepNewest(20)
    #expect(table.entries.count == 20)
    table.keepNewest(19)
    // Of those of one moment the ones that came last.
    #expect(table.entries.map(\.experimentID) == [1, 2, 3, 4, 16, 17, 18, 19, 20])
    #expect(table[15] == nil && table[16] != nil)
  }
}
