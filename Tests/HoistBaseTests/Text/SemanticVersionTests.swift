import HoistBase
import HoistTestSupport
import Testing

/// Semantic Versioning 2.0.0; protocols/unleash.md C.5 (UNL-95; no client).
@Suite struct SemanticVersionTests {
  /// The examples of the specification's section 11 and its pattern's accepted list, in rising order.
  private static let rising = [
    "0.0.0-0", "0.0.0", "0.0.4", "0.9.99", "1.0.0-0", "1.0.0-0A.is.legal", "1.0.0-alpha",
    "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
    "1.0.0-rc.1", "1.0.0", "1.0.1-99999999999999999998", "1.0.1-99999999999999999999",
    "1.0.1-100000000000000000000", "1.0.1--", "1.0.1---", "1.0.1--1", "1.0.1-A", "1.0.1-a", "1.1.2",
    "1.2.3----RC-SNAPSHOT.12.9.1--.12", "1.2.3-SNAPSHOT-123", "1.2.3", "1.10.0", "2.0.0", "10.0.0",
    "99999999999.0.0", "18446744073709551615.18446744073709551615.18446744073709551615",
  ]

  @Test("Numbers may be missing where that is allowed (LDS-24; no client)")
  func missingNumbers() {
    for (text, patch) in [("2", "2.0.0"), ("2.1", "2.1.0"), ("2-rc", "2.0.0-rc"), ("2.0-rc+b", "2.0.0-rc"), ("2+b", "2.0.0")] {
      text.withBytes { short in
        patch.withBytes { long in
          let version = SemanticVersion(short, mayLackNumbers: true)
          #expect(
            version.flatMap { short in SemanticVersion(long).map { short.patch == $0.patch && short.minor == $0.minor } } == true)
          #expect(SemanticVersion(short) == nil)
        }
      }
    }
    for text in ["2.", "2..0", ".1", "2.1.", "2.0.0.0", "", "-rc"] {
      #expect(text.withBytes { SemanticVersion($0, mayLackNumbers: true) == nil }, "\(text)")
    }
  }

  @Test func precedenceFollowsTheSpecification() {
    for (lower, one) in Self.rising.enumerated() {
      for (upper, other) in Self.rising.enumerated() {
        let expected = Ordering(of: lower, against: upper)
        #expect(SemanticVersion.order(one, other) == expected, "\(one) against \(other)")
      }
    }
  }

  @Test(arguments: [
    ("1.2.3+a", "1.2.3+b"), ("1.2.3", "1.2.3+b"), ("1.2.3-rc.1+x", "1.2.3-rc.1"),
    ("1.2.3+001", "1.2.3+21AF26D3---117B344092BD"), ("1.0.0-0A+meta-pre.sha.256a", "1.0.0-0A"),
  ])
  func buildsCountForNothing(left: String, right: String) {
    #expect(SemanticVersion.order(left, right) == .equal)
  }

  @Test(arguments: [
    "", "1", "1.2", "1.2.3.4", "v1.2.3", "=1.2.3", " 1.2.3", "1.2.3 ", "01.2.3", "1.02.3", "1.2.03",
    "00.0.0", "1.2.3-", "1.2.3-01", "1.2.3-a.01", "1.2.3-a..b", "1.2.3-.a", "1.2.3-a.", "1.2.3+",
    "1.2.3+a..b", "1.2.3+.", "1.2.3+a+b", "1.2.3-é", "1.2.3-a_b", "1.2.x", "a.b.c", "-1.2.3",
    "+1.2.3",
    "1.-2.3", "18446744073709551616.0.0", "0.18446744073709551616.0", "0.0.99999999999999999999999",
    "1..3", ".1.2", "1.2.", "1.2.3-+", "1.2.3-+a", "١.2.3", "1.2.3\u{0}",
  ])
  func anythingElseIsNoVersion(text: String) {
    #expect(SemanticVersion(text) == nil)
    #expect(SemanticVersion.order(text, "1.0.0") == nil)
    #expect(SemanticVersion.order("1.0.0", text) == nil)
  }

  @Test func partsAreRead() throws {
    let text = "1.22.333-rc.1+build.5"
    let version = try #require(SemanticVersion(text))
    #expect(version.major == 1)
    #expect(version.minor == 22)
    #expect(version.patch == 333)
    let prerelease = text.withBytes { String(decoding: version.prerelease(in: $0), as: UTF8.self) }
    #expect(prerelease == "rc.1")
    #expect(SemanticVersion("1.2.3+-")?.prereleaseCount == 0)
  }

  @Test func aVersionComparedInAnotherTextDoesNotTrap() throws {
    let version = try #require(SemanticVersion("1.2.3-rc.1"))
    let empty = ByteView(start: nil, count: 0)
    "1.2.3-beta".withBytes { #expect(version.order(in: empty, against: version, in: $0) == .less) }
  }

  @Test func hugeTextsAreCompared() {
    let long = "1.0.0-" + String(repeating: "1", count: 200_000)
    #expect(SemanticVersion.order(long, long + "0") == .less)
    let many = "1.0.0-a" + String(repeating: ".a", count: 100_000)
    #expect(SemanticVersion.order(many + ".a", many) == .greater)
  }
}
