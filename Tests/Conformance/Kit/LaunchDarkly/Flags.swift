import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly

/// The elements of an array with their places; none of anything else.
private func elements(_ value: JSONValue?) -> [(Int, JSONValue)] {
  value?.array.map { array in array.enumerated().map { ($0.offset, $0.element) } } ?? []
}

/// Typed evaluations with details, and all flags (4.2).
func runFlagEvaluation(_ root: JSONValue, _ report: Report) {
  for (index, vector) in elements(root["cases"]) {
    let name = "\(index) \(vector["name"]?.string ?? "")"
    let replay = FlagReplay()
    guard let flags = vector["flags"], case .applied = flags.source.withBytes({ replay.apply("put", $0) }) else {
      report.fail(name, expected: "flags that can be read", actual: "refused")
      continue
    }
    report.check("\(name): allFlags", expected: vector["allFlags"]?.canonicalText ?? "", actual: text(replay.values))
    let expected = vector["expect"]?.array
    for (place, call) in elements(vector["calls"]) {
      report.check(
        "\(name): call \(place)", expected: expected?.element(at: place)?.canonicalText ?? "", actual: answer(call, replay))
    }
  }
}

private func answer(_ call: JSONValue, _ replay: FlagReplay) -> String {
  let want: WantedType =
    switch call["type"]?.string {
    case "bool": .bool
    case "int": .int
    case "double": .double
    case "string": .string
    default: .json
    }
  let fallback = call["default"]?.canonicalText ?? "null"
  let told = replay.evaluate(call["flagKey"]?.string ?? "", want) { evaluation, metadata -> String in
    let value = evaluation.kind == .none ? fallback : text(evaluation.jsonValue())
    if evaluation.errorCode == .typeMismatch { return detail(value, "null", #"{"errorKind":"WRONG_TYPE","kind":"ERROR"}"#) }
    guard let document = try? JSONDocument(parsing: metadata) else { return "(no metadata)" }
    return document.withRoot { root in
      detail(value, root["variationIndex"]?.canonicalText ?? "null", root["reason"]?.canonicalText ?? "null")
    }
  }
  return told ?? detail(fallback, "null", #"{"errorKind":"FLAG_NOT_FOUND","kind":"ERROR"}"#)
}

private func detail(_ value: String, _ index: String, _ reason: String) -> String {
  text(Array("{\"value\":\(value),\"variationIndex\":\(index),\"reason\":\(reason)}".utf8))
}

private func text(_ json: [UInt8]) -> String {
  (try? JSONDocument(parsing: json))?.withRoot { $0.canonicalText } ?? "(not JSON)"
}

/// Sequences of put, patch and delete: values, tombstones, changes (2.2, 5.6).
func runStoreUpdates(_ root: JSONValue, _ report: Report) {
  for (index, vector) in elements(root["cases"]) {
    let replay = FlagReplay()
    for (place, step) in elements(vector["steps"]) {
      let outcome = (step["data"]?.string ?? "").withBytes { replay.apply(step["event"]?.string ?? "", $0) }
      var status = "ok"
      var changes: [FlagChange]?
      switch outcome {
      case .applied(let told): changes = told
      case .refused: status = "dataError"
      case .unknown: status = "unknown"
      }
      let actual = canonical { writer in
        writer.object { writer in
          writer.member("status", status)
          writer.key("flags")
          writer.raw(replay.values)
          writeTombstones(replay, to: &writer)
          write(changes, to: &writer)
        }
      }
      report.check(
        "\(index) \(vector["name"]?.string ?? ""): step \(place)", expected: expectation(of: step), actual: actual)
    }
  }
}

private func expectation(of step: JSONValue) -> String {
  canonical { writer in
    writer.object { writer in
      for name: StaticString in ["status", "flags", "tombstones", "changes", "unchanged_notified"] {
        writer.key("\(name)")
        writer.raw(step[name]?.canonicalText.utf8.map { $0 } ?? Array("null".utf8))
      }
    }
  }
}

private func writeTombstones(_ replay: FlagReplay, to writer: inout JSONWriter) {
  writer.key("tombstones")
  writer.object { writer in
    for (key, version) in replay.tombstones {
      writer.key(String(decoding: key, as: UTF8.self))
      writer.int(version)
    }
  }
}

private func write(_ changes: [FlagChange]?, to writer: inout JSONWriter) {
  writer.key("changes")
  writer.array { writer in
    for change in changes ?? [] {
      writer.object { writer in
        writer.key("key")
        writer.string(change.key.string)
        writer.key("old")
        writer.raw(change.oldValue?.bytes ?? Array("null".utf8))
        writer.key("new")
        writer.raw(change.newValue?.bytes ?? Array("null".utf8))
      }
    }
  }
  writer.member("unchanged_notified", changes?.isEmpty ?? false)
}
