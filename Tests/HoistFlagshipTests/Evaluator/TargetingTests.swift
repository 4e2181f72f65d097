import HoistCore
import Testing

@testable import HoistFlagship

@Suite("Whom a group is for (FS-07, FS-202; no client)") struct TargetingTests {
  private func matches(
    _ operation: String, _ target: String, _ value: AttributeValue?, key: String = "k", visitor: String = "visitor_1"
  ) throws -> Bool {
    let targeting = #"{"operator":"\#(operation)","key":"\#(key)","value":\#(target)}"#
    let context = value.map { [("k", $0)] } ?? []
    return try Decided(BucketingText.targeted(targeting), visitor: visitor, context: context).flags.count == 1
  }

  private func text(_ text: String) -> AttributeValue { .string(Array(text.utf8)) }

  @Test("EXISTS and NOT_EXISTS ask for presence, and the value false turns them round (FS-202; no client)")
  func presence() throws {
    #expect(try matches("EXISTS", "true", text("")))
    #expect(try !matches("EXISTS", "true", nil))
    #expect(try matches("EXISTS", "false", nil))
    #expect(try !matches("EXISTS", "false", .int(1)))
    #expect(try matches("NOT_EXISTS", "true", nil))
    #expect(try !matches("NOT_EXISTS", "true", .bool(false)))
    #expect(try matches("NOT_EXISTS", "false", .bool(false)))
    #expect(try matches("EXISTS", "null", .double(1)))
    #expect(try matches("EXISTS", "true", nil, key: "fs_users"))
  }

  @Test(
    "versions compare by Semantic Versioning; parts may be left out, a v may stand in front (FS-202; no client)",
    arguments: [
      ("SEMVER_EQUALS", "1.2.0", "v1.2", true), ("SEMVER_EQUALS", "1.2.0", "1.2.1", false),
      ("SEMVER_NOT_EQUALS", "1.2.0", "1.2.1", true), ("SEMVER_NOT_EQUALS", "1.2.0", "1.2.0+build", false),
      ("SEMVER_GREATER_THAN", "1.9.0", "1.10.0", true), ("SEMVER_GREATER_THAN", "1.9.0", "1.9.0", false),
      ("SEMVER_LOWER_THAN", "2", "2.0.0-rc.1", true), ("SEMVER_LOWER_THAN", "2", "2.0.1", false),
      ("SEMVER_GREATER_THAN_OR_EQUALS", "1.9.0", "1.9", true), ("SEMVER_GREATER_THAN_OR_EQUALS", "1.9.0", "1.8.9", false),
      ("SEMVER_LOWER_THAN_OR_EQUALS", "v3.0.0", "3", true), ("SEMVER_LOWER_THAN_OR_EQUALS", "v3.0.0", "3.0.1", false),
      ("SEMVER_EQUALS", "1.2.0", "one", false), ("SEMVER_NOT_EQUALS", "1.2.0", "one", false),
      ("SEMVER_NOT_EQUALS", "", "1.0.0", false), ("SEMVER_EQUALS", "1.2.3.4", "1.2.3.4", false),
    ])
  func versions(_ operation: String, _ target: String, _ value: String, _ expected: Bool) throws {
    #expect(try matches(operation, "\"\(target)\"", text(value)) == expected)
  }

  @Test func aVersionIsNoNumber() throws {
    #expect(try !matches("SEMVER_EQUALS", "1", .int(1)))
    #expect(try !matches("SEMVER_EQUALS", "\"1\"", .int(1)))
    #expect(try matches("SEMVER_EQUALS", #"["1.0.0","2.0.0"]"#, text("2")))
    #expect(try !matches("SEMVER_NOT_EQUALS", #"["1.0.0","2.0.0"]"#, text("2")))
    #expect(try !matches("SEMVER_GREATER_THAN", #"["1.0.0"]"#, text("2")))
  }

  @Test("numbers of 64 bits compare exactly, also with doubles")
  func greatNumbers() throws {
    #expect(try !matches("EQUALS", "9007199254740993", .int(9_007_199_254_740_992)))
    #expect(try matches("GREATER_THAN", "9007199254740992.0", .int(9_007_199_254_740_993)))
    #expect(try matches("LOWER_THAN", "1e300", .int(.max)))
    #expect(try matches("GREATER_THAN", "-1e300", .int(.min)))
    #expect(try matches("LOWER_THAN", "-0.5", .int(-1)))
    #expect(try matches("EQUALS", "-9223372036854775808", .double(-0x1p63)))
  }

  @Test func longListsAreLookedUpAsShortOnesAreWalked() throws {
    let names = (0..<50).map { "\"user\($0)\"" }.joined(separator: ",")
    #expect(try matches("EQUALS", "[\(names)]", nil, key: "fs_users", visitor: "user49"))
    #expect(try !matches("EQUALS", "[\(names)]", nil, key: "fs_users", visitor: "user50"))
    #expect(try !matches("NOT_EQUALS", "[\(names)]", text("user0")))
    #expect(try matches("NOT_EQUALS", "[\(names)]", text("user00")))
    #expect(try matches("NOT_EQUALS", "[\(names),7]", .int(8)))
    #expect(try !matches("NOT_EQUALS", "[\(names),7]", .int(7)))
    #expect(try matches("EQUALS", "[\(names),7]", .double(7)))
    #expect(try !matches("EQUALS", "[\(names),true]", .int(1)))
    #expect(try matches("EQUALS", "[\(names),\"\"]", text("")))
  }

  @Test func valuesThatAVisitorCannotHaveCountAsAbsent() throws {
    #expect(try !matches("NOT_EQUALS", "1", .null))
    #expect(try !matches("NOT_EQUALS", "1", .strings([Array("1".utf8)])))
    #expect(try !matches("EXISTS", "true", .json(Array("{}".utf8))))
  }

  @Test("everybody is everybody, whatever the operator and the context")
  func allUsers() throws {
    #expect(try matches("EQUALS", "\"nobody\"", nil, key: "fs_all_users"))
    #expect(try matches("MATCHES", "1", nil, key: "fs_all_users"))
  }
}
