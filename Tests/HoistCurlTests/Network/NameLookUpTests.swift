import HoistCore
import Testing

@testable import HoistCurl

/// A look-up that hangs holds up nothing but its own request (reliability 4.1, DNS).
@Suite(.enabled(if: StallingResolver.preloaded != nil, "run by Tests/Faults/name-look-ups"))
struct NameLookUpTests {
  private let transport = CurlTransport(loop: .shared, withProxy: "")

  @Test func cancellingDoesNotWaitForTheLookUp() throws {
    let resolver = try #require(StallingResolver.preloaded)
    let name = "cancel.stall.test"
    let end = Promise<Outcome>()
    let exchange = transport.send(HTTPRequest(method: "GET", url: "http://\(name)/")) { end.fulfil($0) }
    #expect(resolver.wait(name, count: 1))
    exchange.cancel()
    #expect(try end.wait().failure?.kind == .cancelled)
    #expect(resolver.wait(name, count: 1), "still under way")
    resolver.release(name)
    #expect(resolver.wait(name, count: 0))
  }

  @Test func theTotalTimeEndsIt() throws {
    let resolver = try #require(StallingResolver.preloaded)
    let name = "timeout.stall.test"
    var request = HTTPRequest(method: "GET", url: "http://\(name)/")
    request.timeoutMilliseconds = 50
    #expect(try transport.fetch(request).failure?.kind == .timeout)
    #expect(resolver.wait(name, count: 1))
    resolver.release(name)
    #expect(resolver.wait(name, count: 0))
  }

  @Test func otherRequestsGoOnMeanwhile() throws {
    let resolver = try #require(StallingResolver.preloaded)
    let server = try LoopbackServer.answering { _ in answer("200 OK", "x") }
    defer { server.stop() }
    let name = "others.stall.test"
    let end = Promise<Outcome>()
    _ = transport.send(HTTPRequest(method: "GET", url: "http://\(name)/")) { end.fulfil($0) }
    #expect(resolver.wait(name, count: 1))
    #expect(try transport.get(server.origin).response?.text == "x")
    #expect(end.count == 0)
    resolver.release(name)
    #expect(try end.wait().failure?.kind == .unreachable)
  }
}
