import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistLaunchDarkly

/// The events of a server without a client: for replaying what a host does. Not thread-safe.
final class ServerEventSession {
  let host = TestHost()
  let events: ServerEvents
  /// What cells would have counted.
  let counted = Locked<[(key: [UInt8], identity: CounterIdentity)]>([])

  private struct PlainHeaders: HeaderSource {
    func prepare(_ own: [HTTPHeader], for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void) { completion(own) }
  }

  /// - Parameter config: as the vectors have it.
  init(_ config: JSONValue?) {
    var options = EventOptions(policy: LaunchDarklyEventPolicy.Options(url: "https://events.test/bulk"))
    options.policy.isServer = true
    options.capacity = Int(config?["capacity"]?.int64 ?? 10_000)
    options.durability = .memory
    options.redaction = Redaction(
      allAttributesPrivate: config?["all_attributes_private"]?.bool ?? false,
      globalPrivate: (config?["global_private"]?.array.map { $0.compactMap(\.string) } ?? []).map { AttributeReference($0) })
    var seen = SeenContexts.Options()
    seen.capacity = Int(config?["context_keys_capacity"]?.int64 ?? 1_000)
    seen.omitsAnonymous = config?["omit_anonymous"]?.bool ?? false
    events = ServerEvents(host: host, options: options, seen: seen, headers: PlainHeaders()) { [counted] body in
      let entries = counted.value
      counted.value = []
      for entry in entries { entry.key.withBytes { body($0, entry.identity, 1) } }
    }
    host.network.setResponder { _ in .success(HTTPResponse(status: 202)) }
    events.start()
    events.outlet.onlineChanged(true)
    host.time.run()
  }

  /// - Parameter value: a context; nothing is done for one that is not valid.
  func with(_ value: JSONValue?, _ body: (FrozenContext) -> Void) {
    guard let reference = context(of: value)?.reference else { return }
    body(reference.frozen)
    withExtendedLifetime(reference) {}
  }

  func track(_ key: String, data: [UInt8]?, metric: Double?, of context: FrozenContext) {
    key.withBytes { key in
      func track(_ data: ByteView?) { _ = events.track(key, data: data, metric: metric, of: context) }
      if let data { data.withBytes { track(EventData.isSomething($0) == true ? $0 : nil) } } else { track(nil) }
    }
  }

  /// - Returns: the events of the one request; none where there was none.
  func flush() -> [LDValue] {
    let before = host.network.requests.count
    events.outlet.flush { _ in }
    host.time.run()
    let sent = host.network.requests.dropFirst(before)
    guard let body = sent.first?.body, sent.count == 1 else { return sent.isEmpty ? [] : [.string("\(sent.count) requests")] }
    return (try? JSONDocument(parsing: body))?.withRoot { LDValue($0).array } ?? [.string("no JSON")]
  }
}
