import HoistBase
import HoistCore
import HoistJSON

/// A thousand consecutive users: how many are in, who, and with which variant.
func runDistribution(_ root: JSONValue, _ report: Report) {
  for test in root["cases"]?.array?.map({ $0 }) ?? [] {
    let id = test["id"]?.idText ?? "-"
    do {
      let engine = try Engine(test["features"]?.source ?? [])
      report.check(id, expected: test["expect"]?.canonicalText ?? "nothing", actual: distribute(engine, test))
    } catch {
      report.fail(id, expected: "a state that is taken", actual: "\(error)")
    }
  }
}

private func distribute(_ engine: Engine, _ test: JSONValue) -> String {
  let toggle = test["toggle"]?.string ?? ""
  let prefix = test["userIdPrefix"]?.string ?? ""
  let first = test["from"]?.int64 ?? 0
  var bits = ""
  var names: [String] = []
  for number in first..<(first + (test["count"]?.int64 ?? 0)) {
    let context = EvaluationContext()
    _ = try? context.set(Array("userId".utf8), .string(Array("\(prefix)\(number)".utf8)))
    let answer = engine.answer(toggle, context)
    bits += answer.enabled ? "1" : "0"
    names.append(answer.variantName)
  }
  return canonical { writer in
    writer.object { writer in
      writer.key("enabledCount")
      writer.int(bits.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "1") ? 1 : 0) })
      writer.member("bitsSha256", digest(bits))
      writer.key("variantCounts")
      writer.object { writer in
        for (name, group) in Dictionary(grouping: names, by: { $0 }) {
          writer.key(name)
          writer.int(group.count)
        }
      }
      writer.member("variantsSha256", digest(names.joined(separator: ",")))
    }
  }
}

private func digest(_ text: String) -> String { Hex.encode(SHA256.hash(text)) }
