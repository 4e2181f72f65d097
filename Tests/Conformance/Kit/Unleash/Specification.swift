import HoistCore
import HoistJSON
import HoistUnleash

/// The official client-specification's own format: one state, then tests of flags and of variants.
func runSpecification(_ root: JSONValue, _ report: Report) {
  let engine: Engine
  do {
    var state = UnleashFeatureState()
    try state.take(root["state"]?.source ?? [])
    engine = try Engine(state)
  } catch {
    return report.fail("state", expected: "a state that is taken", actual: "\(error)")
  }
  for test in root["tests"]?.array?.map({ $0 }) ?? [] {
    ask(test, report) { name, context in
      let enabled = engine.isEnabled(name, context)
      return enabled == engine.answer(name, context).enabled ? "\(enabled)" : "one answer here, another there"
    }
  }
  for test in root["variantTests"]?.array?.map({ $0 }) ?? [] {
    ask(test, report) { name, context in
      let answer = engine.answer(name, context)
      return canonical { writer in
        writer.object { writer in
          writer.member("name", answer.variantName)
          writer.member("enabled", answer.variantEnabled)
          writer.member("feature_enabled", answer.enabled)
          writer.payload(answer.payload)
        }
      }
    }
  }
}

private func ask(
  _ test: JSONValue, _ report: Report, _ answer: (String, EvaluationContext) throws -> String
) {
  let id = test["description"]?.string ?? "-"
  do {
    let actual = try answer(test["toggleName"]?.string ?? "", context(test["context"]))
    report.check(id, expected: test["expectedResult"]?.canonicalText ?? "nothing", actual: actual)
  } catch {
    report.fail(id, expected: "an answer", actual: "\(error)")
  }
}

extension JSONWriter {
  mutating func payload(_ payload: (type: String, value: String)?) {
    guard let payload else { return }
    key("payload")
    object { writer in
      writer.member("type", payload.type)
      writer.member("value", payload.value)
    }
  }
}
