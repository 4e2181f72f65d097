import HoistBase
import HoistCore
import HoistOptimizely
import Testing

@Suite("Audiences are true, false or unknown (OPT-74; no client)") struct AudienceTests {
  private func truth(_ conditions: String, _ context: EvaluationContext = visitor(), old: Bool = false) throws -> Bool? {
    let audience = #"{"id":"1","name":"a","conditions":\#(conditions)}"#
    let project = try Project(audiences: old ? audience : "", typed: old ? "" : audience)
    let hold = context.reference()
    return OptimizelyFlags.isInAudience("1", of: project.snapshot, context: hold?.frozen, subject: nil)
  }

  private let there = #"{"type":"custom_attribute","name":"country","match":"exists"}"#
  private let unknown = #"{"type":"custom_attribute","name":"gone","match":"gt","value":1}"#

  @Test func anAndGoesOnBehindAnUnknownOperand() throws {
    #expect(try truth(#"["and",\#(unknown),["not",\#(there)]]"#, visitor("u", ["country": .null])) == nil)
    #expect(try truth(#"["not",["and",\#(unknown),\#(there)]]"#) == true)
  }

  @Test func oldAudiencesAreTextsOfTrees() throws {
    let conditions = #""[\"or\",{\"type\":\"custom_attribute\",\"name\":\"country\",\"value\":\"de\"}]""#
    #expect(try truth(conditions, visitor("u", ["country": .string(Array("de".utf8))]), old: true) == true)
    #expect(try truth(conditions, old: true) == nil)
    #expect(try truth(#""no tree""#, old: true) == nil)
  }

  @Test func typedAudiencesHideOldOnesOfTheirID() throws {
    let project = try Project(
      audiences: #"{"id":"1","name":"a","conditions":"[\"or\"]"}"#,
      typed: #"{"id":"1","name":"a","conditions":["not",["or"]]}"#)
    #expect(OptimizelyFlags.isInAudience("1", of: project.snapshot, context: nil, subject: nil) == true)
    #expect(OptimizelyFlags.isInAudience("2", of: project.snapshot, context: nil, subject: nil) == nil)
  }

  @Test(arguments: [(10, true), (100, true), (400, nil as Bool?)])
  func treesBeyondALimitAreUnknown(_ depth: Int, _ expected: Bool?) throws {
    let open = String(repeating: #"["not",["not","#, count: depth / 2)
    let tree = open + there + String(repeating: "]]", count: depth / 2)
    #expect(try truth(tree, visitor("u", ["country": .bool(true)])) == expected)
  }

  @Test func operatorsOfManyOperandsNestSoFar() throws {
    for (depth, expected) in [(20, true), (31, true), (60, nil)] as [(Int, Bool?)] {
      let tree = String(repeating: #"["and",\#(there),"#, count: depth) + there + String(repeating: "]", count: depth)
      #expect(try truth(tree, visitor("u", ["country": .bool(true)])) == expected)
    }
  }

  @Test func emptyConditionsAdmitEverybodyAndUnknownAudiencesNobody() throws {
    let project = try Project(
      flags: [flag("all", ["1"]), flag("none", ["2"])].joined(separator: ","),
      experiments: rule("1", #""audienceConditions":[],"audienceIds":["gone"]"#) + "," + rule("2", #""audienceIds":["gone"]"#))
    #expect(try project.decide("all").variation == "on-1")
    #expect(try project.decide("none").variation == nil)
  }

  @Test func whyAnExpressionIsUnknownIsTold() throws {
    let project = try Project(
      flags: flag("f", ["1"]), experiments: rule("1", #""audienceConditions":["or","1"]"#),
      typed: #"{"id":"1","name":"a","conditions":["and",{"type":"custom_attribute","name":"age","match":"gt","value":1}]}"#)
    #expect(try project.decide("f").codes.contains(.missingAttributeValue))
    #expect(try project.decide("f", visitor("u", ["age": .null])).codes.contains(.nilAttributeValue))
    #expect(try project.decide("f", visitor("u", ["age": .bool(true)])).codes.contains(.evaluateAttributeInvalidType))
    #expect(try project.decide("f", visitor("u", ["age": .int(0)])).codes.last { $0 == .userNotInExperiment } != nil)
  }
}
