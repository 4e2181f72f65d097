import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistTestSupport

extension KameleoonCase {
  /// Fetches of the configuration (KAM-02, KAM-06, KAM-16, KAM-20, KAM-43, KAM-B07, KAM-B09).
  static let fetchOperations: [String: Operation] = ["fetchConfiguration": { play, step in play.fetch(step) }]

  private func fetch(_ step: JSONValue) -> StepOutcome {
    var headers: [HTTPHeader] = []
    if let date = step["lastModified"]?.string { headers.append(HTTPHeader("Last-Modified", date)) }
    answers.value.configuration = answer(
      Int(step["status"]?.int64 ?? 200), String(decoding: step["configuration"]?.source ?? [], as: UTF8.self), headers)
    let called = Locked(false)
    face.observe(updateConfiguration: { called.value = true })
    let first = transport.requests.count
    if client.isOnline { face.fetchConfiguration(at: step["ts"]?.int64) } else { _ = client.setOnline(true) }
    settle()
    // Fetches that events ask for begin a second apart.
    if transport.requests.count == first {
      scheduler.advance(milliseconds: 1_000)
      settle()
    }
    var outcome = StepOutcome("success") { $0.bool(self.client.state == .ready) }
    let members = [
      ("ready", face.isReady), ("streaming", face.isStreaming), ("updateConfigurationHandlerCalled", called.value),
    ]
    for (name, value) in members { outcome.members[name] = Array("\(value)".utf8) }
    outcome.members["featureList"] = featureList
    outcome.requests = transport.requests.dropFirst(first).filter { $0.url.contains("/v3/") }
    return outcome
  }

  /// Keys of the flags that are served, in order.
  private var featureList: [UInt8] {
    var writer = JSONWriter()
    let flags = try? JSONDocument(parsing: client.allFlags(nil))
    writer.array { writer in
      flags?.withRoot { root in for (key, _) in members(root) { writer.string(key.string) } }
    }
    return writer.bytes
  }
}
