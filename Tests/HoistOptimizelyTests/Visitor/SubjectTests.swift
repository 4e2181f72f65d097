import HoistBase
import Testing

@testable import HoistOptimizely

@Suite("What evaluators look up of a visitor") struct SubjectTests {
  private func find(_ key: String, in table: SubjectTable) -> String? {
    key.withBytes { bytes in
      table.find(bytes, hash: Hash64.hash(bytes)).map { String(decoding: $0.pointee.value, as: UTF8.self) }
    }
  }

  /// A profile of any size is searched, not read through (OPT-05; no client).
  @Test(arguments: [0, 1, 2, 3, 1000]) func eachStoredAssignmentIsFound(_ count: Int) throws {
    var content = SubjectContent()
    content.assignments = (0..<count).map { .init(experimentID: Array("e\($0)".utf8), variationID: Array("v\($0)".utf8)) }
    let subject = try #require(OptimizelySubject(content))
    try withExtendedLifetime(subject) {
      let table = subject.tables.assignments
      for number in 0..<count { try #require(find("e\(number)", in: table) == "v\(number)") }
      #expect(find("e\(count)", in: table) == nil)
      #expect(find("", in: table) == nil)
    }
  }

  /// One flag may be forced as a whole and by each of its rules (OPT-65; no client).
  @Test func rowsOfOneKeyAreToldApart() throws {
    var content = SubjectContent()
    let rules: [String?] = ["r1", nil, "r2", ""]
    content.forcedDecisions = rules.map {
      .init(flagKey: Array("f".utf8), ruleKey: $0.map { Array($0.utf8) }, variationKey: Array(($0 ?? "whole").utf8))
    }
    let subject = try #require(OptimizelySubject(content))
    withExtendedLifetime(subject) {
      for rule in rules {
        let found = "f".withBytes { flag in
          func look(_ second: ByteView?) -> String? {
            subject.tables.forcedDecisions.find(flag, hash: Hash64.hash(flag), and: second).map {
              String(decoding: $0.pointee.value, as: UTF8.self)
            }
          }
          return rule.map { $0.withBytes { look($0) } } ?? look(nil)
        }
        #expect(found == rule ?? "whole")
      }
    }
  }

  @Test func ofTwoAssignmentsToOneExperimentTheFirstCounts() throws {
    var content = SubjectContent()
    content.assignments = ["first", "second"].map { .init(experimentID: Array("e".utf8), variationID: Array($0.utf8)) }
    let subject = try #require(OptimizelySubject(content))
    withExtendedLifetime(subject) { #expect(find("e", in: subject.tables.assignments) == "first") }
  }
}
