import HoistBase
import HoistCore
import Testing

@testable import HoistCurl

/// A cancelled exchange ends with `.cancelled`, once, and its connection with it.
@Suite struct CancellationTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")
  private let cancelled = TransportFailure(.cancelled, "cancelled")

  /// Runs what has been posted so far: what was to come would have come.
  private func settle() throws {
    let done = Promise<Void>()
    NetworkLoop.shared.post { NetworkLoop.shared.post { done.fulfil() } }
    try done.wait()
  }

  @Test func beforeAnythingIsSent() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    let end = Promise<Outcome>()
    // On the loop's own thread nothing can have begun in between.
    NetworkLoop.shared.post {
      transport.send(HTTPRequest(method: "GET", url: server.origin)) { end.fulfil($0) }.cancel()
    }
    #expect(try end.wait().failure == cancelled)
    try settle()
    #expect(end.count == 1 && server.connectionCount == 0)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"])
  func whileTheAnswerIsAwaited(before: String) throws {
    let reached = Promise<Void>()
    let closed = Promise<Void>()
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(before)
      reached.fulfil()
      connection.waitForClose()
      closed.fulfil()
    }
    defer { server.stop() }
    let end = Promise<Outcome>()
    let exchange = transport.send(HTTPRequest(method: "GET", url: server.origin)) { end.fulfil($0) }
    try reached.wait()
    for _ in 0..<3 { exchange.cancel() }
    #expect(try end.wait().failure == cancelled)
    try closed.wait()
    try settle()
    #expect(end.count == 1)
  }

  @Test func whileConnecting() throws {
    let host = try UnansweringHost()
    defer { host.close() }
    let end = Promise<Outcome>()
    let exchange = transport.send(HTTPRequest(method: "GET", url: host.origin)) { end.fulfil($0) }
    try settle()
    exchange.cancel()
    #expect(try end.wait().failure == cancelled)
  }

  @Test func afterTheEndItIsHarmless() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    let end = Promise<Outcome>()
    let exchange = transport.send(HTTPRequest(method: "GET", url: server.origin)) { end.fulfil($0) }
    #expect(try end.wait().response?.status == 200)
    exchange.cancel()
    try settle()
    #expect(end.count == 1)
  }

  @Test func fromManyThreadsAtOnceAgainstTheAnswer() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    for _ in 0..<100 {
      let end = Promise<Outcome>()
      let exchange = transport.send(HTTPRequest(method: "GET", url: server.origin)) { end.fulfil($0) }
      let ready = (0..<3).map { _ in Promise<Void>() }
      for promise in ready {
        _ = HoistBase.Thread.start(name: "test-cancel") {
          exchange.cancel()
          promise.fulfil()
        }
      }
      for promise in ready { try promise.wait() }
      let outcome = try end.wait()
      #expect(outcome.failure == cancelled || outcome.response?.status == 200)
      try settle()
      #expect(end.count == 1)
    }
  }

  @Test func ofOneRequestLeavesTheOthersAlone() throws {
    let release = Promise<Void>()
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      _ = try? release.wait()
      connection.send(answer("200 OK", "late"))
    }
    defer { server.stop() }
    let ends = (0..<6).map { _ in Promise<Outcome>() }
    let exchanges = ends.map { end in
      transport.send(HTTPRequest(method: "GET", url: server.origin)) { end.fulfil($0) }
    }
    for index in [1, 3, 5] { exchanges[index].cancel() }
    for index in [1, 3, 5] { #expect(try ends[index].wait().failure == cancelled) }
    release.fulfil()
    for index in [0, 2, 4] { #expect(try ends[index].wait().response?.text == "late") }
  }

  @Test func aCompletionMayCancelAndSendAnew() throws {
    let server = try LoopbackServer.answering { request in answer("200 OK", request.target) }
    defer { server.stop() }
    let end = Promise<Outcome>()
    let transport = transport
    let origin = server.origin
    _ = transport.send(HTTPRequest(method: "GET", url: origin + "/1")) { _ in
      let second = transport.send(HTTPRequest(method: "GET", url: origin + "/2")) { first in
        _ = transport.send(HTTPRequest(method: "GET", url: origin + "/3")) { end.fulfil(first.failure == nil ? first : $0) }
      }
      second.cancel()
    }
    #expect(try end.wait().response?.text == "/3")
  }

  @Test func lettingGoOfTheHandleCancelsNothing() throws {
    let server = try LoopbackServer.answering { _ in answer("200 OK", "kept") }
    defer { server.stop() }
    let end = Promise<Outcome>()
    do { _ = CurlTransport(loop: .shared, withProxy: "").send(HTTPRequest(method: "GET", url: server.origin)) { end.fulfil($0) } }
    #expect(try end.wait().response?.text == "kept")
  }
}
