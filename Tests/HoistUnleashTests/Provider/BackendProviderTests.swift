import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

private let backend = [
  "url": "https://flags.test/api", "key": "*:dev.secret", "mode": "backend", "disable_registration": "true",
]

private func features(_ names: String...) -> String {
  let list = names.map { "{\"name\":\"\($0)\",\"enabled\":true}" }.joined(separator: ",")
  return "{\"version\":2,\"features\":[\(list)]}"
}

private func ok(_ body: String, _ headers: [HTTPHeader] = []) -> ScriptedTransport.Answer {
  .success(HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)))
}

private func hydration(_ name: String, id: Int) -> String {
  "{\"events\":[{\"type\":\"hydration\",\"eventId\":\(id),\"features\":[{\"name\":\"\(name)\",\"enabled\":true}],\"segments\":[]}]}"
}

private func updated(_ name: String, id: Int) -> String {
  "{\"events\":[{\"type\":\"feature-updated\",\"eventId\":\(id),\"feature\":{\"name\":\"\(name)\",\"enabled\":true}}]}"
}

extension ClientRig {
  fileprivate func isOn(_ name: String) -> Bool {
    name.withBytes {
      client.evaluate($0, nil, .bool, []) { evaluation, _ in evaluation.kind == .bool && evaluation.integer != 0 }
    }
  }

  fileprivate func start() {
    _ = face.start(bootstrap: nil) { _ in }
    scheduler.run()
  }
}

/// The life of a backend client.
struct BackendProviderTests {
  @Test("Definitions are polled with their tag, and a 304 keeps both (UNL-90; ready)")
  func definitionsArePolledWithTheirTag() throws {
    let rig = try #require(ClientRig(backend))
    rig.transport.enqueue(ok(features("a"), [HTTPHeader("ETag", "\"q:1:v1\"")]), .success(HTTPResponse(status: 304)))
    rig.start()
    #expect(rig.isOn("a") && rig.transport.requests[0].url == "https://flags.test/api/client/features")
    for _ in 0..<2 {
      _ = rig.face.fetch { _ in }
      rig.scheduler.run()
    }
    #expect(rig.transport.requests[1].headers.value(of: "If-None-Match") == "\"q:1:v1\"")
    #expect(rig.transport.requests[2].headers.value(of: "If-None-Match") == "\"q:1:v1\"")
    #expect(rig.isOn("a"))
  }

  @Test("The client announces itself once, and a refusal changes nothing (UNL-91; ready)")
  func registrationComesOnce() throws {
    let rig = try #require(ClientRig(backend.merging(["disable_registration": "false"]) { $1 }))
    rig.transport.setResponder { request in
      request.method == "POST" ? .success(HTTPResponse(status: 500)) : ok(features("a"))
    }
    rig.start()
    _ = rig.face.stop()
    rig.start()
    let posts = rig.transport.requests.filter { $0.method == "POST" }
    #expect(posts.count == 1 && posts[0].url == "https://flags.test/api/client/register")
    let body = String(decoding: try #require(posts[0].body), as: UTF8.self)
    #expect(body.contains("\"strategies\":[\"default\",\"userWithId\",\"flexibleRollout\""))
    #expect(rig.isOn("a"))
  }

  @Test("Project, prefix and tags narrow what is fetched (UNL-102; starting)")
  func queriesNarrowTheFetch() throws {
    let narrowed = ["project": "shop", "name_prefix": "new-", "tags": #"["team:web","tier:1"]"#]
    let rig = try #require(ClientRig(backend.merging(narrowed) { $1 }))
    rig.start()
    #expect(
      rig.transport.requests[0].url
        == "https://flags.test/api/client/features?project=shop&namePrefix=new-&tag=team%3Aweb&tag=tier%3A1")
  }

  @Test("Deltas apply on top of each other, and what cannot be applied asks for everything anew (UNL-92; ready)")
  func deltasApply() throws {
    let rig = try #require(ClientRig(backend.merging(["fetch_mode": "delta"]) { $1 }))
    rig.transport.enqueue(
      ok(hydration("a", id: 1), [HTTPHeader("ETag", "\"1\"")]), ok(updated("b", id: 2), [HTTPHeader("ETag", "2")]),
      ok("{\"events\":[{\"type\":\"unheard-of\",\"eventId\":3}]}"), ok(hydration("c", id: 4)))
    rig.start()
    for _ in 0..<3 {
      _ = rig.face.fetch { _ in }
      rig.scheduler.run()
    }
    let tags = rig.transport.requests.map { $0.headers.value(of: "If-None-Match") }
    #expect(tags == [nil, "\"1\"", "\"2\"", nil])
    #expect(rig.isOn("c") && !rig.isOn("a") && !rig.isOn("b"))
  }

  @Test("A service without deltas is polled instead (UNL-92; starting)")
  func missingDeltasFallBack() throws {
    let rig = try #require(ClientRig(backend.merging(["fetch_mode": "delta"]) { $1 }))
    rig.transport.enqueue(.success(HTTPResponse(status: 404)), ok(features("a")))
    rig.start()
    #expect(
      rig.transport.requests.map(\.url) == ["https://flags.test/api/client/delta", "https://flags.test/api/client/features"])
    #expect(rig.isOn("a"))
  }

  private func streaming() throws -> ClientRig {
    try #require(ClientRig(backend.merging(["fetch_mode": "streaming", "refresh_interval": "15"]) { $1 }))
  }

  @Test("The stream brings everything first, then changes (UNL-93; starting, ready)")
  func theStreamBringsChanges() throws {
    let rig = try streaming()
    rig.start()
    let stream = try #require(rig.transport.streams.first)
    #expect(stream.request.headers.value(of: "Accept") == "text/event-stream")
    stream.open()
    stream.receive("id: 1\nevent: unleash-connected\ndata: \(hydration("a", id: 1))\n\n")
    rig.scheduler.run()
    #expect(rig.isOn("a") && rig.client.state == .ready)
    stream.receive(": keep-alive\n\nid: 2\nevent: unleash-updated\ndata: \(updated("b", id: 2))\n\n")
    rig.scheduler.run()
    #expect(rig.isOn("a") && rig.isOn("b"))
  }

  @Test("A broken stream is opened again with the last event's id, after 1 to 2 seconds (UNL-93; failing)")
  func aBrokenStreamIsResumed() throws {
    let rig = try streaming()
    rig.start()
    let first = try #require(rig.transport.streams.first)
    first.open()
    first.receive("id: 7\nevent: unleash-connected\ndata: \(hydration("a", id: 7))\n\n")
    first.endStream(TransportFailure(.connectionReset, "reset"))
    rig.scheduler.advance(milliseconds: 999)
    #expect(rig.transport.streams.count == 1 && rig.isOn("a"))
    rig.scheduler.advance(milliseconds: 1001)
    try #require(rig.transport.streams.count == 2)
    #expect(rig.transport.streams[1].request.headers.value(of: "Last-Event-ID") == "7")
  }

  @Test("Data that cannot be applied drops the connection, and the next one asks for everything (UNL-93; failing)")
  func unreadableDataAsksForEverything() throws {
    let rig = try streaming()
    rig.start()
    let first = try #require(rig.transport.streams.first)
    first.open()
    first.receive("id: 7\nevent: unleash-connected\ndata: \(hydration("a", id: 7))\n\n")
    first.receive("id: 8\nevent: unleash-updated\ndata: {\"events\":[{\"type\":\"?\"}]}\n\n")
    rig.scheduler.run()
    #expect(rig.isOn("a") && first.isCancelled)
    rig.scheduler.advance(milliseconds: 2000)
    try #require(rig.transport.streams.count == 2)
    #expect(rig.transport.streams[1].request.headers.value(of: "Last-Event-ID") == nil)
  }

  @Test("A service that refuses streams is polled (UNL-93; starting)", arguments: [401, 403, 404, 429, 501])
  func refusedStreamsFallBackToPolling(_ code: Int) throws {
    let rig = try streaming()
    rig.start()
    let stream = try #require(rig.transport.streams.first)
    stream.open(status: code)
    stream.endStream()
    rig.scheduler.run()
    #expect(rig.transport.requests.last?.url == "https://flags.test/api/client/features")
  }

  @Test("Five failures within a minute end in polling (UNL-93; failing)")
  func repeatedFailuresFallBackToPolling() throws {
    let rig = try streaming()
    rig.start()
    for failures in 1...5 {
      #expect(rig.transport.streams.count == failures)
      rig.transport.streams.last?.endStream(TransportFailure(.unreachable, "down"))
      rig.scheduler.run()
      for _ in 0..<16 where rig.transport.streams.count == failures { rig.scheduler.advance(milliseconds: 1000) }
    }
    #expect(rig.transport.streams.count == 5)
    #expect(rig.transport.requests.contains { $0.url.hasSuffix("/client/features") })
  }

  @Test("A call's context decides, and the client's own stands in for what it lacks (UNL-100; ready)")
  func contextsAreMerged() throws {
    let rig = try #require(ClientRig(backend.merging(["context": #"{"plan":"pro"}"#]) { $1 }))
    rig.transport.enqueue(
      ok(
        #"{"version":2,"features":[{"name":"f","enabled":true,"strategies":[{"name":"default","constraints":[{"contextName":"plan","operator":"IN","values":["pro"]},{"contextName":"userId","operator":"IN","values":["u"]}]}]}]}"#
      ))
    rig.start()
    func isOn(_ context: EvaluationContext) -> Bool {
      "f".withBytes { rig.client.evaluate($0, context.subject, .bool, []) { evaluation, _ in evaluation.integer != 0 } }
    }
    #expect(isOn(EvaluationContext(targetingKey: "u")))
    let other = EvaluationContext(targetingKey: "u")
    try other.set(Array("plan".utf8), .string(Array("free".utf8)))
    #expect(!isOn(other))
  }
}
