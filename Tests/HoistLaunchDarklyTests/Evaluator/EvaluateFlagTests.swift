import HoistBase
import HoistCore
@testable import HoistLaunchDarkly
import HoistTestSupport
import Testing

@Suite("Flags are evaluated by looking them up (LD-50 to LD-59, LD-62 to LD-64; no client)") struct EvaluateFlagTests {
  /// The flag "f" of this value, and what is said beside it.
  func replay(_ value: String, _ more: String = "") -> FlagReplay {
    let replay = FlagReplay()
    _ = #"{"f":{"value":\#(value)\#(more)}}"#.withBytes { replay.apply("put", $0) }
    return replay
  }

  /// The answer as text; "none" where the fallback is returned, with the error if there is one.
  func ask(_ want: WantedType, _ replay: FlagReplay) -> String {
    replay.evaluate("f", want) { evaluation, _ in
      if evaluation.errorCode != .none { return "\(evaluation.errorCode)" }
      return evaluation.kind == .none ? "none" : "\(evaluation.kind) \(String(decoding: evaluation.jsonValue(), as: UTF8.self))"
    } ?? "unknown"
  }

  @Test(
    "The table of conversions (4.2.2)",
    arguments: [
      ("true", ["bool true", "wrong", "wrong", "wrong", "json true"]),
      ("1", ["wrong", "int 1", "double 1", "wrong", "json 1"]),
      ("1.0", ["wrong", "int 1", "double 1", "wrong", "json 1"]),
      ("3.7", ["wrong", "int 3", "double 3.7", "wrong", "json 3.7"]),
      ("-3.7", ["wrong", "int -3", "double -3.7", "wrong", "json -3.7"]),
      ("1e30", ["wrong", "wrong", "double 1e+30", "wrong", "json 1e+30"]),
      ("9223372036854775808", ["wrong", "wrong", "double 9.223372036854776e+18", "wrong", "json 9.223372036854776e+18"]),
      (#""1""#, ["wrong", "wrong", "wrong", #"string "1""#, #"json "1""#]),
      (#""""#, ["wrong", "wrong", "wrong", #"string """#, #"json """#]),
      ("[]", ["wrong", "wrong", "wrong", "wrong", "json []"]),
      (#"{"a":[1]}"#, ["wrong", "wrong", "wrong", "wrong", #"json {"a":[1]}"#]),
    ])
  func conversions(value: String, expected: [String]) {
    let replay = replay(value)
    let wants: [WantedType] = [.bool, .int, .double, .string, .json]
    let told = wants.map { ask($0, replay) }.map { $0 == "typeMismatch" ? "wrong" : $0 }
    #expect(told == expected)
  }

  @Test("Null is no error: the fallback, with the flag's own variation and reason (LD-62; no client)")
  func nullValues() {
    let replay = replay("null", #","variation":3,"version":7,"reason":{"kind":"OFF"}"#)
    for want in [WantedType.bool, .int, .double, .string, .json, .any] { #expect(ask(want, replay) == "none") }
    let told = replay.evaluate("f", .bool) { evaluation, metadata in
      (evaluation.variationIndex, evaluation.reason, String(decoding: metadata, as: UTF8.self))
    }
    #expect(told?.0 == 3 && told?.1 == .disabled)
    #expect(told?.2 == #"{"variationIndex":3,"reason":{"kind":"OFF"},"version":7}"#)
  }

  @Test("A value of another type has neither index nor reason (LD-63; no client)")
  func wrongTypes() {
    let replay = replay("1", #","variation":3,"flagVersion":2,"reason":{"kind":"FALLTHROUGH"}"#)
    let told = replay.evaluate("f", .bool) { evaluation, metadata in
      (evaluation.variationIndex, evaluation.reason, String(decoding: metadata, as: UTF8.self))
    }
    #expect(told?.0 == -1 && told?.1 == .error && told?.2 == #"{"flagVersion":2}"#)
  }

  @Test(
    "Reasons are kept word for word, and told in the core's words too",
    arguments: [
      (#"{"kind":"OFF"}"#, Reason.disabled),
      (#"{"kind":"FALLTHROUGH"}"#, .default),
      (#"{"kind":"FALLTHROUGH","inExperiment":true}"#, .split),
      (#"{"kind":"TARGET_MATCH"}"#, .targetingMatch),
      (#"{ "kind":"RULE_MATCH", "ruleIndex":1,"ruleId":"x","new":[1.0]}"#, .targetingMatch),
      (#"{"kind":"PREREQUISITE_FAILED","prerequisiteKey":"p"}"#, .disabled),
      (#"{"kind":"ERROR","errorKind":"MALFORMED_FLAG"}"#, .error),
      (#"{"kind":"SOMETHING"}"#, .unknown),
      ("{}", .unknown),
    ])
  func reasons(text: String, reason: Reason) {
    let told = replay("true", #","reason":\#(text)"#).evaluate("f", .bool) { evaluation, metadata in
      (evaluation.reason, String(decoding: metadata, as: UTF8.self))
    }
    #expect(told?.0 == reason && told?.1 == #"{"reason":\#(text)}"#)
  }

  @Test(
    "What is more than a count is recorded",
    arguments: [
      (#","trackEvents":true"#, true), (#","debugEventsUntilDate":1"#, true), (#","prerequisites":["p"]"#, true),
      (#","debugEventsUntilDate":-1"#, false), (#","prerequisites":[]"#, false), (#","trackReason":true"#, false),
    ])
  func recording(more: String, isRecorded: Bool) throws {
    let replay = replay("true", more)
    let snapshot = try #require(replay.snapshot)
    let root = try #require(snapshot.flagsRoot)
    let flag = try #require(snapshot.find(flag: "f"))
    // The first of a period always is.
    #expect(replay.evaluate("f", .bool) { evaluation, _ in evaluation.effects } == .record)
    try #require(snapshot.periodWord(of: flag, root)).pointee = root.period
    #expect(replay.evaluate("f", .bool) { evaluation, _ in evaluation.effects } == (isRecorded ? .record : []))
    #expect(replay.evaluate("f", .string) { evaluation, _ in evaluation.effects } == .record)
    #expect(replay.evaluate("f", .bool) { evaluation, _ in evaluation.firstCell } == 0)
  }

  @Test func onlyTheContextTheyAreForIsAnswered() throws {
    let (mine, same, other) = (
      EvaluationContext(targetingKey: "a"), EvaluationContext(targetingKey: "a"), EvaluationContext(targetingKey: "b")
    )
    let frozen = try [mine, same, other].map { FrozenContext(try #require($0.freeze())) }
    func code(_ root: FlagsRoot, _ context: FrozenContext, current: FrozenContext) throws -> ErrorCode {
      var table = FlagTable()
      let update = try #"{"f":{"value":true}}"#.withBytes { text in Result { try table.put(text, in: root, over: nil) } }.get()
      let snapshot = try #require(update.snapshot)
      defer { snapshot.destroy() }
      var evaluation = Evaluation(want: .bool)
      evaluation.inherited = current.base
      evaluateFlag(snapshot.base, UnsafeRawPointer(try #require(snapshot.find(flag: "f"))), context.base, &evaluation)
      return evaluation.errorCode
    }
    for root in [FlagsRoot(), FlagsRoot(context: frozen[0].fingerprint)] {
      #expect(try code(root, frozen[0], current: frozen[0]) == .none)
      #expect(try code(root, frozen[1], current: frozen[0]) == .none)
      #expect(try code(root, frozen[2], current: frozen[0]) == .invalidContext)
    }
    // The context has just been changed: flags of the new one are not the old one's.
    #expect(try code(FlagsRoot(context: frozen[2].fingerprint), frozen[1], current: frozen[0]) == .invalidContext)
    withExtendedLifetime((mine, same, other)) {}
  }
}
