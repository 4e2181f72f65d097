import HoistBase
import HoistJSON
import HoistTestSupport

/// Normalised hashes: Murmur3 of `group:identifier`, modulo, plus one.
func runHash(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let group = test["group"]?.string ?? ""
    let identifier = test["identifier"]?.string ?? ""
    let modulus = UInt32(truncatingIfNeeded: test["modulus"]?.int64 ?? 1)
    let seed = UInt32(truncatingIfNeeded: test["seed"]?.int64 ?? 0)
    var state = Murmur3State(group, seed: seed)
    state.append(":")
    let hash = state.finish(appending: identifier)
    report.check(
      test["id"]?.idText ?? "-",
      expected: "\(test["murmur3_x86_32"]?.canonicalText ?? "-") → \(test["expect"]?.canonicalText ?? "-")",
      actual: "\(hash) → \(hash % max(modulus, 1) + 1)")
  }
}
