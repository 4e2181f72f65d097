import HoistCore
import Testing

@Suite("What an evaluation may cost (contract 10; no client)") struct StepBudgetTests {
  @Test func workBeyondTheBudgetIsRefusedForGood() {
    var budget = StepBudget(10)
    let answers = [10, 1, 0, .max].map { budget.spend($0) }
    #expect(answers == [true, false, false, false] && budget.isExceeded)
  }

  @Test func longTextsCostMore() {
    var budget = StepBudget(1000)
    for answer in [budget.spend(1, reading: 6400), budget.spend(1, searching: 800), budget.spend(1, parsing: 97)] {
      #expect(answer)
    }
    #expect(budget.left == 700)
  }

  @Test func truthsAreRememberedForTheFirstPlaces() {
    var truths = RememberedTruths()
    #expect(truths[0] == nil && truths[63] == nil && truths[64] == nil)
    truths[0] = true
    truths[63] = false
    truths[64] = true
    truths[.max] = true
    truths[5] = nil
    #expect(truths[0] == true && truths[63] == false && truths[64] == nil && truths[.max] == nil && truths[5] == nil)
  }
}
