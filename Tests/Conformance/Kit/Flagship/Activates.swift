import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// What is sent when a visitor's flags are exposed, one step after the other (3.4).
func runActivates(_ root: JSONValue, _ report: Report) {
  let status = Locked(204)
  let world = FlagshipWorld(["env_id": root["envId"]?.string ?? ""]) { request in
    if request.url.contains("/campaigns") { return answer(200, FlagshipWorld.oneCampaign) }
    return answer(request.url.hasSuffix("/activate") ? status.value : 200)
  }
  guard let world, let visitor = world.visitor("act_visitor") else {
    return report.fail("-", expected: "a visitor", actual: "(none)")
  }
  _ = visitor.fetch(completion: nil)
  world.settle()
  forEachCase(root) { id, test in
    // "expose f, server answers 204"
    let words = (test["step"]?.string ?? "").split { " ,:".contains($0) }.map(String.init)
    guard words.count > 1, words[0] == "expose" else { return report.fail(id, expected: "a known step", actual: "\(words)") }
    status.value = words.firstIndex(of: "answers").flatMap { $0 + 1 < words.count ? Int(words[$0 + 1]) : nil } ?? 204
    // The pause after a failure is over, and no interval: what was kept rides along.
    world.scheduler.advance(milliseconds: 1_000)
    let before = world.posts("/activate").count
    visitor.expose(words[1] == "an" ? "unknown" : words[1])
    world.settle()
    let sent = world.posts("/activate").dropFirst(before).map { activate($0.method, $0.url, $0.text) }
    let expected = test["expected"]?.array.map { Array($0) } ?? []
    let wanted = expected.map {
      activate($0["method"]?.string ?? "", $0["url"]?.string ?? "", $0["body"]?.canonicalText ?? "")
    }
    report.check(id, expected: wanted.joined(separator: " ; "), actual: sent.joined(separator: " ; "))
  }
}

/// A request as one line: nulls and the order of members left out, and the time where it is one.
private func activate(_ method: String, _ url: String, _ body: String) -> String {
  guard let document = try? JSONDocument(parsing: body) else { return "\(method) \(url) (not JSON)" }
  let text = document.withRoot { body in
    canonical { writer in
      writer.object { writer in
        for (name, value) in members(body) where !(name == "batch") {
          writer.key(utf8: name.utf8)
          writer.raw(value.source)
        }
        writer.key("batch")
        writeItems(body["batch"], to: &writer)
      }
    }
  }
  return "\(method) \(url) \(text)"
}

extension FlagshipWorld {
  /// An answer of the Decision API with flags `f` and `n`, which is null.
  static let oneCampaign =
    #"{"campaigns":[{"id":"c","variationGroupId":"vg1","variation":{"id":"va1","modifications":{"value":{"f":"x","n":null}}}}]}"#
}

extension FlagshipVisitor {
  func expose(_ key: String) { key.withBytes { _ = FlagshipFlag($0, of: self).expose() } }
}
