/// Counts what passed and keeps what is to be said about what did not.
final class Report {
  private static let shownFailures = 20

  private var passed = 0
  private var failed = 0
  /// Cases not run, by the reason.
  private var skipped: [(reason: String, count: Int)] = []
  private var lines: [String] = []
  private var file = ""

  func begin(_ file: String) { self.file = file }

  /// Compares two texts of one line each.
  func check(_ id: String, expected: String, actual: String) {
    if expected == actual { passed += 1 } else { fail(id, expected: expected, actual: actual) }
  }

  func fail(_ id: String, expected: String, actual: String) {
    failed += 1
    if failed <= Self.shownFailures {
      lines += ["FAILED \(file) case \(id)", "  expected \(expected)", "  actual   \(actual)"]
    } else if failed == Self.shownFailures + 1 {
      lines.append("further failures are counted, not shown")
    }
  }

  func skip(_ count: Int, reason: String) {
    if let at = skipped.firstIndex(where: { $0.reason == reason }) {
      skipped[at].count += count
    } else {
      skipped.append((reason, count))
    }
  }

  var outcome: Conformance.Outcome {
    let total = skipped.reduce(0) { $0 + $1.count }
    let reasons = skipped.map { "skipped \($0.count): \($0.reason)" }
    let numbers = "\(passed) passed, \(failed) failed" + (total > 0 ? ", \(total) skipped" : "")
    return Conformance.Outcome(passed: passed, failed: failed, skipped: total, lines: lines + reasons + [numbers])
  }
}
