import HoistBase
import Testing

@testable import HoistFlagship

@Suite("Types of the defaults that hosts name as JSON (FS-76, FS-78; no client)") struct JSONKindsTests {
  /// What was remembered of a text is what would be found anew.
  @Test func aTextIsOfTheSameTypeEachTimeItIsNamed() {
    let texts = [
      "null", "true", "false", "0", "-1", "1.5", "1e3", "\"\"", "\"a\"", "[]", "[1]", "{}", " {\"a\": 1} ", "", "{", "nul", "{}x",
    ]
    let kinds = JSONKinds()
    // More than there are places, so that texts put each other out.
    for text in texts + (0..<500).map({ "[\($0)]" }) + texts {
      let found = text.withBytes { FlagKind(ofJSON: $0) }
      for _ in 0..<3 { #expect(text.withBytes { kinds.kind(of: $0) } == found, "\(text)") }
    }
  }
}
