import HoistBase
import HoistCore
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules are evaluated for contexts of the core") struct ServerEvaluatorTests {
  @Test(
    "Prerequisites and segments in one another end with the fallback where they cost too much (LDS-22, LDS-27, LDS-29; no client)"
  )
  func costs() throws {
    var flags = [
      "wide": ServerRules.flag("wide", ServerRules.rule(inSegments: ["w0"])),
      "deep": ServerRules.flag("deep", ServerRules.rule(inSegments: ["d0"])),
    ]
    var segments: [String: String] = [:]
    for level in 0..<2_000 {
      flags["p\(level)"] = ServerRules.flag("p\(level)", "\"prerequisites\":[{\"key\":\"p\(level + 1)\",\"variation\":1}]")
      segments["d\(level)"] = ServerRules.segment(
        "d\(level)", "\"rules\":[{\"clauses\":[\(ServerRules.clause(["d\(level + 1)"]))]}]")
    }
    for level in 0..<40 {
      let clause = ServerRules.clause(["w\(level + 1)"])
      segments["w\(level)"] = ServerRules.segment("w\(level)", "\"rules\":[{\"clauses\":[\(clause)]},{\"clauses\":[\(clause)]}]")
    }
    let served = try serve(ServerRules.set(flags: flags, segments: segments))
    defer { served.destroy() }
    for key in ["p0", "deep", "wide"] { #expect(served.value(of: key) == "GENERAL", "\(key)") }
    #expect(served.value(of: "p1995") == #""off""#, "its last prerequisite is no flag")
  }

  @Test("A context that is none of the service's is refused, whatever the flag (LDS-30; no client)") func refusedContexts() throws
  {
    let served = try serve(ServerRules.set(flags: ["a": ServerRules.flag("a")]))
    defer { served.destroy() }
    let refused: [(String?, [(String, AttributeValue)])] = [
      (nil, []), ("", []), ("k", [("kind", .string(Array("a b".utf8)))]), ("k", [("kind", .string(Array("kind".utf8)))]),
      ("k", [("kind", .int(1))]), ("k", [("name", .int(1))]), ("k", [("anonymous", .string([]))]), ("k", [("key", .string([1]))]),
      (nil, [("kind", .string(Array("multi".utf8)))]),
      (nil, [("kind", .string(Array("multi".utf8))), ("user", .json(Array(#"{"name":"n"}"#.utf8)))]),
      (nil, [("kind", .string(Array("multi".utf8))), ("user", .string(Array("k".utf8)))]),
    ]
    for (key, attributes) in refused {
      for flag in ["a", "nothing"] {
        #expect(served.value(of: flag, for: context(key, attributes)) == "INVALID_CONTEXT", "\(attributes)")
      }
    }
    #expect(served.value(of: "a", for: context("", [("kind", .null)])) == #""on""#, "a user of the old form")
    #expect(served.value(of: "nothing") == "FLAG_NOT_FOUND")
  }

  @Test(
    "Keys and values with escapes, nested ones, and those of several kinds are compared by what they say (LDS-24, LDS-25; no client)"
  )
  func severalKinds() throws {
    let clauses = [
      #"{"contextKind":"org","attribute":"/a/b~1c","op":"in","values":["x\"\n"]}"#,
      #"{"contextKind":"user","attribute":"list","op":"greaterThan","values":[2]}"#,
      #"{"attribute":"kind","op":"in","values":["org"]}"#,
      #"{"contextKind":"org","attribute":"key","op":"in","values":["é\\"]}"#,
      #"{"attribute":"o","op":"in","values":[{"y":[1.0],"x":null}]}"#,
    ]
    for (index, clause) in clauses.enumerated() {
      let served = try serve(
        ServerRules.set(flags: ["a": ServerRules.flag("a", "\"rules\":[{\"variation\":0,\"clauses\":[\(clause)]}]")]))
      defer { served.destroy() }
      let parts: [(String, AttributeValue)] = [
        ("kind", .string(Array("multi".utf8))),
        ("org", .json(Array(#"{"key":"\u00e9\\","a":{"b/c":"x\"\n"}}"#.utf8))),
        ("user", .json(Array(#"{"key":"u","list":[1,"3",2.5],"o":{"x":null,"y":[1]}}"#.utf8))),
      ]
      #expect(served.value(of: "a", for: context(nil, parts)) == #""off""#, "clause \(index)")
      #expect(served.value(of: "a") == #""on""#, "clause \(index)")
    }
  }

  private func serve(_ text: String) throws -> Snapshot {
    var table = ServerTable(ServerResources(nil))
    return try #require(try table.poll(text, over: nil).snapshot)
  }

  private func context(_ key: String?, _ attributes: [(String, AttributeValue)]) -> EvaluationContext {
    let context = EvaluationContext(targetingKey: key.map { Array($0.utf8) })
    for (name, value) in attributes { try? context.set(Array(name.utf8), value) }
    return context
  }
}
