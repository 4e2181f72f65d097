import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport

@testable import HoistUnleash

/// Where the clients of these tests fetch.
let frontend = ["url": "https://flags.test/api/frontend", "key": "*:dev.secret"]

/// An answer with toggles that are on.
func toggles(_ names: String..., etag: String? = nil) -> ScriptedTransport.Answer {
  answer(togglesText(names), etag: etag)
}

func togglesText(_ names: [String]) -> String {
  "{\"toggles\":[\(names.map { "{\"name\":\"\($0)\",\"enabled\":true}" }.joined(separator: ","))]}"
}

func answer(_ body: String, status: Int = 200, etag: String? = nil) -> ScriptedTransport.Answer {
  .success(HTTPResponse(status: status, headers: etag.map { [HTTPHeader("ETag", $0)] } ?? [], body: Array(body.utf8)))
}

/// News as an observer gets it.
final class News: Observer, @unchecked Sendable {
  private let kept = LockedValue<[Notification]>([])
  var all: [Notification] { kept.withLock { $0 } }
  func notify(_ notification: Notification) { kept.withLock { $0.append(notification) } }
}

extension ClientRig {
  /// Starts, with the answers the service gives from now on.
  @discardableResult
  func start(_ answers: ScriptedTransport.Answer..., bootstrap: String? = nil) -> Outcome {
    for answer in answers { transport.enqueue(answer) }
    let done = Outcome()
    _ = face.start(bootstrap: bootstrap.map { Array($0.utf8) }) { done.set($0) }
    settle { done.value != nil }
    return done
  }

  /// One fetch, by hand.
  @discardableResult
  func fetch(_ answers: ScriptedTransport.Answer...) -> Outcome {
    for answer in answers { transport.enqueue(answer) }
    let done = Outcome()
    _ = face.fetch { done.set($0) }
    settle { done.value != nil }
    return done
  }

  func news(of topic: Topic) -> News {
    let news = News()
    _ = client.observe(topic, key: nil, news)
    return news
  }

  /// By the vendor's name.
  func news(of event: String) -> News { UnleashFace.topic(ofEvent: event).map { news(of: $0) } ?? News() }

  func header(_ name: String, ofRequest index: Int) -> String? {
    transport.requests.indices.contains(index) ? transport.requests[index].headers.value(of: name) : nil
  }

  var posts: [HTTPRequest] { transport.requests.filter { $0.method == "POST" } }

  func flush() -> Outcome {
    let done = Outcome()
    client.onScheduler { $0.provider?.flush { done.set($0.status) } }
    settle { done.value != nil }
    return done
  }
}
