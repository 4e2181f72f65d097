import Glibc
import HoistJSON

/// Runs files of test vectors.
public enum Conformance {
  public struct Outcome {
    public var passed: Int
    public var failed: Int
    public var skipped: Int
    /// What to print: the first failures, what was skipped and why, and the numbers last.
    public var lines: [String]
  }

  static let table: [String: Vendor] = [
    "flagship": flagship, "kameleoon": kameleoon, "launchdarkly": launchDarkly, "launchdarkly-server": launchDarklyServer,
    "optimizely": optimizely, "unleash": unleash,
  ]

  public static var vendors: [String] { table.keys.sorted() }

  /// - Parameter vendor: one of `vendors`.
  public static func run(_ vendor: String, _ files: [String]) -> Outcome {
    let report = Report()
    guard let vendor = table[vendor] else {
      report.fail("-", expected: "a known vendor", actual: vendor)
      return report.outcome
    }
    for path in files {
      report.begin(path)
      guard let bytes = contents(of: path) else {
        report.fail("-", expected: "a file that can be read", actual: "none")
        continue
      }
      run(bytes, vendor, report)
    }
    return report.outcome
  }

  /// The same for what a file would hold.
  public static func run(_ vendor: String, text: String) -> Outcome {
    let report = Report()
    report.begin("text")
    if let vendor = table[vendor] { run(Array(text.utf8), vendor, report) }
    return report.outcome
  }

  private static func run(_ bytes: [UInt8], _ vendor: Vendor, _ report: Report) {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      return report.fail("-", expected: "a JSON document", actual: "\(error)")
    }
    document.withRoot { root in
      // A file without cases, as an index of others is, holds no vectors.
      guard let name = root["kind"]?.string ?? vendor.kindOfUnnamed(root) else { return }
      guard let kind = vendor.kinds[name] else {
        return report.fail("-", expected: "a known kind of vectors", actual: name)
      }
      kind(root, report)
    }
  }

  private static func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return ferror(file) == 0 ? bytes : nil }
      bytes.append(contentsOf: chunk[..<count])
    }
  }
}
