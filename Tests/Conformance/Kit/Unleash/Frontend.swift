import HoistBase
import HoistCore
import HoistJSON
import HoistUnleash

/// What the frontend endpoint answers: the flags that are on, by name.
func runFrontendResponse(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    do {
      let engine = try Engine(test["features"]?.source ?? [])
      let context = try context(test["context"])
      let actual = canonical { writer in
        writer.object { writer in
          writer.key("toggles")
          writer.array { writer in
            for name in engine.flagNames { write(engine.answer(name, context), of: name, to: &writer) }
          }
        }
      }
      report.check(id, expected: test["expect"]?.canonicalText ?? "nothing", actual: actual)
    } catch {
      report.fail(id, expected: "a state that is taken", actual: "\(error)")
    }
  }
}

private func write(_ answer: Engine.Answer, of name: String, to writer: inout JSONWriter) {
  guard answer.enabled else { return }
  writer.object { writer in
    writer.member("name", name)
    writer.member("enabled", true)
    writer.member("impressionData", answer.impressionData)
    writer.key("variant")
    writer.object { writer in
      writer.member("name", answer.variantName)
      writer.member("enabled", answer.variantEnabled)
      writer.member("feature_enabled", true)
      writer.payload(answer.payload)
    }
  }
}

/// Which answers of the frontend endpoint are read, and what is read from them.
func runFrontendDecode(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let body = test["body"]?.string ?? ""
    report.check(
      test["id"]?.idText ?? "-", expected: expected(test["expect"]), actual: decode(body))
  }
}

/// The toggles by name, as a snapshot holds them.
private func expected(_ value: JSONValue?) -> String {
  let toggles = value?["toggles"]?.array?.map { $0 } ?? []
  let sorted = toggles.sorted {
    ($0["name"]?.string ?? "").utf8.lexicographicallyPrecedes(($1["name"]?.string ?? "").utf8)
  }
  return "\(value?["ok"]?.bool ?? false): " + sorted.map(\.canonicalText).joined(separator: ", ")
}

private func decode(_ body: String) -> String {
  guard let compilation = try? UnleashToggles.compile(body, context: nil, UnleashOptions()) else { return "false: " }
  let snapshot = compilation.snapshot
  defer { snapshot.destroy() }
  let toggles = (0..<snapshot.flagCount).map { index in
    let record = snapshot.record(at: index)
    var evaluation = Evaluation(want: .any)
    snapshot.head.pointee.evaluate(snapshot.base, record, nil, &evaluation)
    let variant = evaluation.variationIndex < 0 ? nil : UnleashVariant(evaluation, snapshot: snapshot, record: record)
    return canonical { writer in
      writer.object { writer in
        writer.member("name", text(snapshot.name(of: record)))
        writer.member("enabled", evaluation.enabled)
        writer.member("impressionData", evaluation.effects.contains(.impression))
        if let variant { write(variant, to: &writer) }
      }
    }
  }
  return "true: " + toggles.joined(separator: ", ")
}

private func write(_ variant: UnleashVariant, to writer: inout JSONWriter) {
  writer.key("variant")
  writer.object { writer in
    writer.member("name", text(variant.name))
    writer.member("enabled", variant.enabled)
    if let sent = variant.sentFeatureEnabled { writer.member("featureEnabled", sent) }
    writer.payload(variant.payloadType.map { (text($0), variant.payloadValue.map { text($0) } ?? "") })
  }
}
