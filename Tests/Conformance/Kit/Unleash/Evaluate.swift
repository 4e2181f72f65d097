import HoistCore
import HoistJSON

/// One flag, one context: on or off, variant, impression data.
func runEvaluate(_ root: JSONValue, _ report: Report) {
  var engines: [String: Engine] = [:]
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    do {
      let strategies = test["customStrategies"]?.object.map { $0.map { ($0.key.string, $0.value.bool ?? false) } } ?? []
      let state = test["state"]?.string ?? ""
      let key = ([state] + strategies.map(\.0).sorted()).joined(separator: "\u{0}")
      let engine: Engine
      if let known = engines[key] {
        engine = known
      } else {
        engine = try Engine(root["states"]?.object?.member(state)?.source ?? [], strategies: strategies.map(\.0))
        engines[key] = engine
      }
      for (name, answer) in strategies { engine.setAnswer(of: name, answer) }
      report.check(
        id, expected: test["expect"]?.canonicalText ?? "nothing",
        actual: try evaluate(engine, test["toggle"]?.string ?? "", context(test["context"])))
    } catch {
      report.fail(id, expected: "a state that is taken", actual: "\(error)")
    }
  }
}

private func evaluate(_ engine: Engine, _ toggle: String, _ context: EvaluationContext) -> String {
  let answer = engine.answer(toggle, context)
  guard engine.isEnabled(toggle, context) == answer.enabled else { return "one answer here, another there" }
  return canonical { writer in
    writer.object { writer in
      writer.member("enabled", answer.enabled)
      writer.member("found", answer.found)
      writer.member("impressionData", answer.impressionData)
      writer.key("variant")
      writer.object { writer in
        writer.member("name", answer.variantName)
        writer.member("enabled", answer.variantEnabled)
        writer.member("featureEnabled", answer.enabled)
        writer.payload(answer.payload)
      }
    }
  }
}
