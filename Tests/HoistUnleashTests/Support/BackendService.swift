import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

/// What the client API says, for clients over a scripted transport.
enum BackendService {
  static let features = "https://flags.test/api/client/features"

  /// Options of a backend client that fetches in a mode.
  static func options(_ fetchMode: String? = nil, _ more: [String: String] = [:]) -> [String: String] {
    var options = ["url": "https://flags.test/api", "key": "*:dev.secret", "mode": "backend", "disable_registration": "true"]
    options["fetch_mode"] = fetchMode
    return options.merging(more) { $1 }
  }

  static func document(_ names: String...) -> String { "{\"version\":2,\"features\":[\(flags(names))]}" }

  static func batch(_ events: String...) -> String { "{\"events\":[\(events.joined(separator: ","))]}" }

  static func hydration(_ id: Int, _ names: String...) -> String {
    "{\"type\":\"hydration\",\"eventId\":\(id),\"features\":[\(flags(names))],\"segments\":[]}"
  }

  static func updated(_ id: Int, _ name: String) -> String {
    "{\"type\":\"feature-updated\",\"eventId\":\(id),\"feature\":\(flags([name]))}"
  }

  static func removed(_ id: Int, _ name: String) -> String {
    "{\"type\":\"feature-removed\",\"eventId\":\(id),\"featureName\":\"\(name)\",\"project\":\"p\"}"
  }

  private static func flags(_ names: [String]) -> String {
    names.map { "{\"name\":\"\($0)\",\"enabled\":true}" }.joined(separator: ",")
  }

  static func ok(_ body: String, _ headers: [String: String] = [:]) -> ScriptedTransport.Answer {
    .success(HTTPResponse(status: 200, headers: headers.map { HTTPHeader($0.key, $0.value) }, body: Array(body.utf8)))
  }

  static func status(_ status: Int, _ headers: [String: String] = [:]) -> ScriptedTransport.Answer {
    .success(HTTPResponse(status: status, headers: headers.map { HTTPHeader($0.key, $0.value) }))
  }
}

extension ScriptedExchange {
  /// Answers like a service that streams.
  func openAsEvents() { open(headers: [HTTPHeader("Content-Type", "text/event-stream")]) }

  func say(_ event: String, id: Int? = nil, _ data: String) {
    receive((id.map { "id: \($0)\n" } ?? "") + "event: \(event)\ndata: \(data)\n\n")
  }
}

extension ClientRig {
  /// Names of those flags that are on.
  func on(_ names: String...) -> [String] {
    names.filter { name in
      name.withBytes {
        client.evaluate($0, nil, .bool, []) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0 }
      }
    }
  }

  /// Starts, or starts anew, and runs what is due.
  @discardableResult
  func begin(bootstrap: String? = nil) -> Outcome {
    let outcome = Outcome()
    _ = face.start(bootstrap: bootstrap.map { Array($0.utf8) }) { outcome.set($0) }
    scheduler.run()
    return outcome
  }

  /// One fetch now.
  @discardableResult
  func fetch() -> Outcome {
    let outcome = Outcome()
    _ = face.fetch { outcome.set($0) }
    scheduler.run()
    return outcome
  }

  /// Messages of a topic from now on; `dispatch` fills it.
  func messages(of topic: Topic) -> Messages {
    let messages = Messages(self)
    _ = client.observe(topic, key: nil, ClosureObserver { messages.add($0.message) })
    return messages
  }

  /// How long it takes until something comes true, in steps; nil when it does not within ten minutes.
  func milliseconds(step: Int64, until isTrue: () -> Bool) -> Int64? {
    for count in 1...(600_000 / step) {
      scheduler.advance(milliseconds: step)
      if isTrue() { return count * step }
    }
    return nil
  }

  /// Headers with that name of the requests so far.
  func sent(_ header: String) -> [String?] { transport.requests.map { $0.headers.value(of: header) } }
}

/// What observers were told.
final class Messages: @unchecked Sendable {
  private let lock = Lock()
  private var list: [String] = []
  private weak var rig: ClientRig?
  init(_ rig: ClientRig) { self.rig = rig }
  func add(_ message: String) { lock.withLock { list.append(message) } }
  /// Those since the last call.
  func take() -> [String] {
    _ = rig?.client.dispatch(limit: 0)
    return lock.withLock {
      defer { list = [] }
      return list
    }
  }
}
