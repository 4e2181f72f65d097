import HoistBase
import HoistJSON
import HoistKameleoon

/// Hashes of containers and groups, to the last bit.
func runKameleoonHashes(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { index, test in
    var suffix = test["group"]?.string ?? "\(test["containerId"]?.int64 ?? 0)"
    if let respool = test["respoolTime"]?.int64, respool != 0 { suffix += "\(respool)" }
    let value = (test["code"]?.string ?? "").withBytes { code in suffix.withBytes { BucketHash.value(code, $0) } }
    let exact = test["expectedHex"]?.string.map { Double($0) ?? .nan }
    let expected = exact ?? test["expected"]?.double ?? .nan
    report.check("\(index)", expected: "\(expected)", actual: "\(value)")
  }
}
