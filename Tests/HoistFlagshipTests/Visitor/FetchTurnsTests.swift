import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Which fetch of a visitor counts (protocols/flagship.md 5.3)") struct FetchTurnsTests {
  private final class Told: Sendable {
    private let kept = Locked<[String]>([])
    func teller(_ name: String) -> FetchTurns.Completion {
      { status in self.kept.change { $0.append("\(name) \(status.rawValue)") } }
    }
    var all: [String] { kept.value }
  }

  private func begin(_ turns: inout FetchTurns, _ completion: @escaping FetchTurns.Completion) -> FetchTurns.Turn? {
    if case .turn(let turn, _) = turns.begin(again: {}, completion) { return turn }
    return nil
  }

  @Test func aSecondFetchJoinsTheFirst() {
    var turns = FetchTurns()
    let told = Told()
    let first = begin(&turns, told.teller("a"))
    #expect(begin(&turns, told.teller("b")) == nil)
    guard let first else { return #expect(Bool(false), "the first fetch did not begin") }
    let (verdict, waiting) = turns.end(first)
    #expect(verdict == .current && waiting.count == 2)
    for completion in waiting { completion(.ok) }
    #expect(told.all == ["a 0", "b 0"])
    #expect(begin(&turns, told.teller("c")) != nil, "the next one is a fetch of its own")
  }

  @Test func aFetchForAnotherContextTakesTheFormerOnesPlaceAndItsCallers() {
    var turns = FetchTurns()
    let told = Told()
    let first = begin(&turns, told.teller("a"))
    turns.contextChanged()
    let second = begin(&turns, told.teller("b"))
    guard let first, let second else { return #expect(Bool(false), "both are fetches of their own") }
    let late = turns.end(first)
    #expect(late.0 == .stale && late.1.isEmpty)
    let end = turns.end(second)
    #expect(end.0 == .current && end.1.count == 2)
    #expect(turns.end(second).0 == .stale, "an answer counts once")
  }

  @Test func aFetchThatEndsAtOnceBeginsOnlyWhereNothingIsUnderWay() {
    var turns = FetchTurns()
    let told = Told()
    guard let alone = turns.beginAlone() else { return #expect(Bool(false), "nothing is under way") }
    #expect(turns.beginAlone() == nil)
    #expect(begin(&turns, told.teller("joins")) == nil)
    let (verdict, waiting) = turns.end(alone)
    #expect(verdict == .current && waiting.count == 1)
    turns.beginLookUp()
    #expect(turns.beginAlone() == nil)
    _ = turns.endLookUp()
    #expect(turns.beginAlone() != nil)
  }

  @Test func anAnswerForAFormerContextIsOutdatedAndForAFormerVisitorStale() {
    var turns = FetchTurns()
    guard let first = begin(&turns, { _ in }) else { return #expect(Bool(false), "the fetch did not begin") }
    turns.contextChanged()
    let outdated = turns.end(first)
    #expect(outdated.0 == .outdated && outdated.1.count == 1)
    let told = Told()
    guard let second = begin(&turns, told.teller("b")) else { return #expect(Bool(false), "the fetch did not begin") }
    turns.identityChanged()?.end()
    let stale = turns.end(second)
    #expect(stale.0 == .stale && stale.1.isEmpty && second.call?.isOver == true)
    #expect(told.all == ["b \(Status.superseded.rawValue)"])
  }

  @Test func fetchesWaitForTheLookUp() {
    var turns = FetchTurns()
    turns.beginLookUp()
    let begun = Locked(0)
    guard case .afterLookUp = turns.begin(again: { begun.change { $0 += 1 } }, { _ in }) else {
      return #expect(Bool(false), "it did not wait")
    }
    #expect(!turns.hasBegun)
    for begin in turns.endLookUp() { begin() }
    #expect(begun.value == 1 && turns.afterLookUp == nil)
    #expect(begin(&turns, { _ in }) != nil)
  }
}

@Suite("Names of fetch statuses and reasons") struct FetchProgressTests {
  @Test("Statuses and reasons have the vendor's names (FS-45, FS-46; no client)")
  func statusesAndReasonsHaveTheVendorsNames() {
    #expect(FetchStatus.allCases.map { "\($0.name)" } == ["FETCHED", "FETCHING", "FETCH_REQUIRED", "PANIC"])
    #expect(
      FetchReason.allCases.map { "\($0.name)" } == [
        "NONE", "VISITOR_CREATE", "UPDATE_CONTEXT", "AUTHENTICATE", "UNAUTHENTICATE", "FETCH_ERROR", "FETCHED_FROM_CACHE",
      ])
  }

  @Test("Reasons have their newer names, too (FS-205; no client)")
  func reasonsHaveTheirNewerNamesToo() {
    #expect(
      FetchReason.allCases.map { "\($0.newerName)" } == [
        "NONE", "FLAGS_NEVER_FETCHED", "VISITOR_CONTEXT_UPDATED", "VISITOR_AUTHENTICATED", "VISITOR_UNAUTHENTICATED",
        "FLAGS_FETCHING_ERROR", "FLAGS_FETCHED_FROM_CACHE",
      ])
  }
}
