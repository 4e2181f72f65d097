import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Headers from the host") struct HeaderProviderTests {
  private final class Headers: HeaderProvider {
    let answer: @Sendable (String) -> [HTTPHeader]?
    init(_ answer: @escaping @Sendable (String) -> [HTTPHeader]?) { self.answer = answer }
    func headers(for url: String) -> [HTTPHeader]? { answer(url) }
  }

  func fixture(_ answer: (@Sendable (String) -> [HTTPHeader]?)?) throws -> ClientFixture {
    var plugins = Plugins()
    plugins.headerProvider = answer.map { Headers($0) }
    return try ClientFixture(plugins: plugins)
  }

  @Test func theyAreAskedOnALaneAndAnsweredOnTheScheduler() throws {
    let isOwn = Record<Bool>()
    let fixture = try fixture { url in
      isOwn.append(Thread.isOwn)
      return [HTTPHeader("Authorization", url)]
    }
    let scheduler = fixture.scheduler
    let got = Record<[HTTPHeader]>()
    let wasCurrent = Record<Bool>()
    fixture.client.dynamicHeaders(for: "https://x/y") {
      got.append($0)
      wasCurrent.append(scheduler.isCurrent)
    }
    #expect(scheduler.run { got.all.count == 1 })
    #expect(got.all == [[HTTPHeader("Authorization", "https://x/y")]])
    #expect(isOwn.all == [true] && wasCurrent.all == [true])
  }

  @Test func noneAndNothingAreBothNoHeaders() throws {
    for fixture in [try fixture(nil), try fixture { _ in nil }, try fixture { _ in [] }] {
      let got = Record<[HTTPHeader]>()
      fixture.client.dynamicHeaders(for: "u") { got.append($0) }
      #expect(fixture.scheduler.run { got.all.count == 1 })
      #expect(got.all == [[]])
      fixture.dispatchAll()
      #expect(fixture.log.lines == [])
    }
  }

  /// G11: the request goes out without them, and the next question finds another thread.
  @Test func aProviderThatNeverAnswersIsGivenUpAfterItsLimit() throws {
    let door = Door()
    let fixture = try fixture { url in
      if url == "stuck" { door.pass() }
      return [HTTPHeader("a", url)]
    }
    let got = Record<[HTTPHeader]>()
    fixture.client.dynamicHeaders(for: "stuck") { got.append($0) }
    #expect(door.waitForArrivals(1))
    fixture.scheduler.advance(milliseconds: 4_999)
    #expect(got.all == [])
    fixture.scheduler.advance(milliseconds: 2)
    #expect(got.all == [[]])
    fixture.dispatchAll()
    #expect(fixture.log.messages(.warning).count == 1)
    fixture.client.dynamicHeaders(for: "next") { got.append($0) }
    #expect(fixture.scheduler.run { got.all.count == 2 })
    #expect(got.all.last == [HTTPHeader("a", "next")])
    door.open()
    #expect(fixture.scheduler.run { fixture.client.pluginLane.counters.late == 1 })
    #expect(got.all.count == 2)
  }

  @Test("Neither header providers nor the log are shown a key in an address") func addressesAreShownWithoutKeys() throws {
    let shown = Record<String>()
    let fixture = try fixture { url in
      shown.append(url)
      return nil
    }
    fixture.client.logLevel = .debug
    var request = HTTPRequest(method: "GET", url: "https://x/keys/secret.json?q=1")
    request.shownURL = "https://x/keys/s….json"
    let requests = OutgoingRequests(host: fixture.client)
    for request in [request, HTTPRequest(method: "GET", url: "https://x/a/eyJrZXkiOiJhbm5hIn0longer?q=1")] {
      requests.send(request) { _ in }
      #expect(fixture.scheduler.run { !fixture.transport.open.isEmpty })
      fixture.transport.open.first?.complete(answer(200, "{}"))
      fixture.scheduler.run()
    }
    #expect(shown.all.first == "https://x/keys/s….json")
    fixture.dispatchAll()
    let lines = fixture.log.messages(.debug).filter { $0.contains("GET") }
    let ends = [
      " GET https://x/keys/s….json: answered 200 after 0 ms, 2 bytes", " GET https://x/a/***: answered 200 after 0 ms, 2 bytes",
    ]
    #expect(lines.count == 2 && zip(lines, ends).allSatisfy { $0.hasSuffix($1) })
  }
}
