/// Counts what passed and prints what did not.
final class Report {
  private(set) var passed = 0
  private(set) var failed = 0
  /// Cases not run, by the reason.
  private(set) var skipped: [(reason: String, count: Int)] = []
  private static let shownFailures = 20
  private(set) var file = ""

  func begin(_ file: String) { self.file = file }

  /// Compares two texts; one line each.
  func check(_ id: String, expected: String, actual: String) {
    if expected == actual { passed += 1 } else { fail(id, expected: expected, actual: actual) }
  }

  func fail(_ id: String, expected: String, actual: String) {
    failed += 1
    if failed <= Self.shownFailures {
      print("FAILED \(file) case \(id)\n  expected \(expected)\n  actual   \(actual)")
    } else if failed == Self.shownFailures + 1 {
      print("further failures are counted, not shown")
    }
  }

  func skip(_ count: Int, reason: String) {
    if let at = skipped.firstIndex(where: { $0.reason == reason }) {
      skipped[at].count += count
    } else {
      skipped.append((reason, count))
    }
  }

  /// Prints the result and gives the exit status.
  func finish() -> Int32 {
    for (reason, count) in skipped where count > 0 { print("skipped \(count): \(reason)") }
    let total = skipped.reduce(0) { $0 + $1.count }
    print("\(passed) passed, \(failed) failed" + (total > 0 ? ", \(total) skipped" : ""))
    return failed == 0 ? 0 : 1
  }
}
