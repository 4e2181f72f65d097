import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly

/// Rollouts as the fallthrough of a flag with three variations (4.6).
func runServerBucketing(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let rollout = String(decoding: test["rollout"]?.source ?? [], as: UTF8.self)
    let names = "\"key\":\(test["flagKey"]?.canonicalText ?? ""),\"salt\":\(test["salt"]?.canonicalText ?? "")"
    let flag = "{\(names),\"version\":1,\"on\":true,\"variations\":[0,1,2],\"fallthrough\":{\"rollout\":\(rollout)}}"
    guard let replay = ServerReplay(flag: Array(flag.utf8)) else {
      return report.fail(id, expected: "a flag that can be read", actual: "refused")
    }
    let expect = test["expect"]
    var reason = expect?["errorKind"]?.string.map { #"{"kind":"ERROR","errorKind":"\#($0)"}"# } ?? #"{"kind":"FALLTHROUGH"}"#
    if expect?["inExperiment"]?.bool == true { reason = #"{"kind":"FALLTHROUGH","inExperiment":true}"# }
    let index = expect?["variation"]?.unlessNull?.canonicalText
    report.check(
      id, expected: detail(index ?? "null", index, reason),
      actual: replay.answer("f", contextReference(test["context"]), .json, fallback: "null"))
    checkBucket(test, id, report)
  }
}

/// Where the context lies, where that follows from strings alone.
private func checkBucket(_ test: JSONValue, _ id: String, _ report: Report) {
  let rollout = test["rollout"]
  let isByKey = rollout?["kind"]?.string == "experiment" || (rollout?["bucketBy"]?.unlessNull?.string ?? "").isEmpty
  guard let expected = test["bucket"]?.double, isByKey, let context = context(of: test["context"]) else { return }
  let kind = rollout?["contextKind"]?.string ?? ""
  guard let part = context.part(ofKind: kind.isEmpty ? "user" : kind), let key = part.key else { return }
  let prefix = rollout?["seed"]?.unlessNull?.canonicalText ?? "\(test["flagKey"]?.string ?? "").\(test["salt"]?.string ?? "")"
  let actual = ServerReplay.bucket("\(prefix).", key)
  report.check("\(id) bucket", expected: "within 1e-12", actual: abs(actual - expected) <= 1e-12 ? "within 1e-12" : "\(actual)")
}

/// One clause as the only rule of a flag (4.4, 4.5).
func runClauses(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let clause = String(decoding: test["clause"]?.source ?? [], as: UTF8.self)
    let rule = "{\"id\":\"r\",\"variation\":1,\"clauses\":[\(clause)]}"
    let flag =
      "{\"key\":\"f\",\"version\":1,\"on\":true,\"variations\":[false,true],\"rules\":[\(rule)],\"fallthrough\":{\"variation\":0}}"
    guard let replay = ServerReplay(flag: Array(flag.utf8)) else {
      return report.fail(id, expected: "a flag that can be read", actual: "refused")
    }
    let expected =
      switch test["expect"]?.bool {
      case true?: detail("true", "1", #"{"kind":"RULE_MATCH","ruleIndex":0,"ruleId":"r"}"#)
      case false?: detail("false", "0", #"{"kind":"FALLTHROUGH"}"#)
      case nil: detail("null", nil, #"{"kind":"ERROR","errorKind":"MALFORMED_FLAG"}"#)
      }
    let actual = replay.answer("f", contextReference(test["context"]), .json, fallback: "null")
    if actual != expected {
      report.fail("\(id) \(clause) \(test["context"]?.canonicalText ?? "")", expected: expected, actual: actual)
    } else {
      report.check(id, expected: expected, actual: actual)
    }
  }
}

/// Dates and versions as operands (4.5).
func runOperands(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let input = test["input"]
    if test["kind"]?.string == "date" {
      let date = input?.double ?? input?.string.flatMap { ServerReplay.dateMilliseconds($0) }
      let expected = test["expect"]?.double
      let isNone = date == nil && test["expect"]?.unlessNull == nil
      let isNear = if let date, let expected { abs(date - expected) <= 0.05 } else { isNone }
      report.check(
        id, expected: "\(expected.map { "\($0)" } ?? "none")",
        actual: isNear ? "\(expected.map { "\($0)" } ?? "none")" : "\(date as Any)")
    } else {
      report.check(id, expected: test["expect"]?.canonicalText ?? "null", actual: versionText(input?.string))
    }
  }
}

private func versionText(_ text: String?) -> String {
  (text ?? "").withBytes { bytes in
    guard text != nil, let version = SemanticVersion(bytes, mayLackNumbers: true) else { return "null" }
    return canonical { writer in
      writer.array { writer in
        for number in [version.major, version.minor, version.patch] { writer.int(Int64(clamping: number)) }
        if version.prereleaseCount > 0 { writer.string(version.prerelease(in: bytes)) } else { writer.null() }
      }
    }
  }
}

func runSecureModeHashes(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let hash = context(of: test["context"]).map { ServerReplay.secureModeHash($0, sdkKey: test["sdkKey"]?.string ?? "") }
    report.check(id, expected: test["expect"]?.string ?? "-", actual: hash ?? "")
  }
}

func runBigSegmentHashes(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    report.check(id, expected: test["expect"]?.string ?? "-", actual: ServerReplay.bigSegmentHash(test["key"]?.string ?? ""))
  }
}

/// Sequences of put, patch and delete (2.2, 3.4, 11.1).
func runServerUpdates(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let replay = ServerReplay(regex: serverRegex)
    for (index, step) in list(test["steps"]).enumerated() {
      let outcome = (step["data"]?.string ?? "").withBytes { replay.apply(step["event"]?.string ?? "", $0) }
      var (isRefused, changed): (Bool, [String]) = (false, [])
      switch outcome {
      case .applied(let keys): changed = keys
      case .refused: isRefused = true
      case .unknown: break
      }
      let told = "\(isRefused) \(changed.sorted())"
      let wanted = "\(step["reconnect"]?.bool ?? false) \((step["changed"]?.array?.compactMap(\.string) ?? []).sorted())"
      report.check("\(id) step \(index) outcome", expected: wanted, actual: told)
      for (name, ofSegments) in [("flags", false), ("segments", true)] {
        report.check(
          "\(id) step \(index) \(name)", expected: step.object?.member(name)?.canonicalText ?? "-",
          actual: versionsText(replay.versions(ofSegments: ofSegments)))
      }
    }
  }
}

private func versionsText(_ versions: [String: Int64]) -> String {
  canonical { writer in
    writer.object { writer in
      for (key, version) in versions {
        writer.key(key)
        if version >= 0 { writer.int(version) } else { writer.object { $0.member("deleted", -version - 1) } }
      }
    }
  }
}
