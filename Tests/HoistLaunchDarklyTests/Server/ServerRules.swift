import HoistBase
import HoistCore

@testable import HoistLaunchDarkly

/// Texts of flags and segments.
enum ServerRules {
  /// On, with the values "off" and "on"; "on" for everybody who meets no rule.
  static func flag(_ key: String, version: Int = 1, _ more: String = "") -> String {
    let values = #""variations":["off","on"],"offVariation":0,"fallthrough":{"variation":1}"#
    return "{\"key\":\"\(key)\",\"version\":\(version),\"on\":true,\(values)\(more.isEmpty ? "" : ",")\(more)}"
  }

  static func segment(_ key: String, version: Int = 1, _ more: String = "") -> String {
    "{\"key\":\"\(key)\",\"version\":\(version)\(more.isEmpty ? "" : ",")\(more)}"
  }

  /// Gives "off" to those who are in a segment.
  static func rule(inSegments keys: [String]) -> String { "\"rules\":[{\"variation\":0,\"clauses\":[\(clause(keys))]}]" }

  static func clause(_ keys: [String]) -> String {
    "{\"attribute\":\"\",\"op\":\"segmentMatch\",\"values\":[\(keys.map { "\"\($0)\"" }.joined(separator: ","))]}"
  }

  static func set(flags: [String: String], segments: [String: String] = [:]) -> String {
    func object(_ members: [String: String]) -> String {
      "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
    return "{\"flags\":\(object(flags)),\"segments\":\(object(segments))}"
  }
}

extension ServerTable {
  mutating func poll(_ text: String, over old: Snapshot?) throws -> ServerUpdate {
    try text.withBytes { text in Result { () throws(FlagFailure) in try put(text, .poll, over: old) } }.get()
  }

  mutating func patch(_ path: String, _ data: String, of old: Snapshot) throws -> ServerUpdate {
    try "{\"path\":\"\(path)\",\"data\":\(data)}".withBytes { text in
      Result { () throws(FlagFailure) in try patch(text, of: old) }
    }.get()
  }

  mutating func delete(_ path: String, _ version: Int, of old: Snapshot) throws -> ServerUpdate {
    try "{\"path\":\"\(path)\",\"version\":\(version)}".withBytes { text in
      Result { () throws(FlagFailure) in try delete(text, of: old) }
    }.get()
  }
}

extension Snapshot {
  /// A flag's text for a context of the core, "-" for none, and the error's code.
  func value(of key: String, for context: EvaluationContext = EvaluationContext(targetingKey: "k")) -> String {
    guard let held = context.reference(), let record = key.withBytes({ find($0) }) ?? unlisted else { return "(nothing)" }
    var evaluation = Evaluation(want: .json)
    head.pointee.evaluate(base, record, held.frozen.base, &evaluation)
    withExtendedLifetime(held) {}
    if evaluation.errorCode != .none { return "\(evaluation.errorCode.text)" }
    return evaluation.kind == .none ? "-" : String(decoding: evaluation.text, as: UTF8.self)
  }
}
