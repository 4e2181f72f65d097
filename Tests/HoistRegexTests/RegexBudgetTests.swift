import HoistCore
import HoistRegex
import Testing

/// What a match costs is counted, so that many of them end when the budget of an evaluation does (contract 10).
@Suite struct RegexBudgetTests {
  private func cost(_ pattern: String, _ subject: String) throws -> Int {
    var left = Int.max
    _ = try Expression(pattern).match(Array(subject.utf8), steps: &left)
    return Int.max - left
  }

  @Test func ordinaryExpressionsCostTheHundredthPartOfABudget() throws {
    let agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36"
    for pattern in [#"^[^@]+@example\.com$"#, "(?i)bot|crawler|spider", "^/shop/[0-9]+", "Chrome/1[0-9]+"] {
      #expect(try cost(pattern, agent) < Int(StepBudget.limit) / 100, "\(pattern)")
    }
  }

  @Test func theCostGrowsWithTheWaysAndTheSubject() throws {
    let letters = String(repeating: "a", count: 100) + "!"
    #expect(try cost("a.{0,90}[0-9]$", letters) > 10 * cost("a+[0-9]$", letters))
    #expect(try cost("[a-z]+[0-9]", letters + letters) > cost("[a-z]+[0-9]", letters))
  }

  @Test func aMatchThatCostsMoreThanThereIsEndsTheBudget() throws {
    let expression = try Expression("a.{0,90}[0-9]$")
    let subject = Array((String(repeating: "a", count: 100) + "!").utf8)
    var left = 10_000
    #expect(expression.match(subject, steps: &left) == -1 && left < 0)
    // What is exceeded stays so.
    #expect(expression.match([0x61], steps: &left) == -1 && left < 0)
    left = StepBudget.limit
    #expect(expression.match(Array("ab1".utf8), steps: &left) == 1 && left > 0)
  }
}
