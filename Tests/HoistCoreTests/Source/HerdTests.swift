import HoistBase
import HoistCore
import HoistTestSupport
import Testing

/// One client's stream.
private final class Connections: EventStreamDelegate {
  private let stream: EventStream
  private let entropy: any Entropy
  private var pace: ReconnectPace

  init(_ host: TestHost, _ pace: ReconnectPace) {
    self.pace = pace
    entropy = host.entropy
    stream = EventStream(host: host, transport: host.network, maximumEventBytes: 1_000)
    stream.delegate = self
    stream.open()
  }

  var streamAddress: String? { "http://localhost/stream" }
  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    HTTPRequest(method: "GET", url: "http://localhost/stream")
  }
  func streamAccepts(_ head: HTTPResponse) -> Bool { true }
  func streamReceived(_ event: ServerSentEvent) {}
  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    stream.reopen(afterMilliseconds: pace.nextMilliseconds(openMilliseconds: openMilliseconds, entropy))
  }
}

@Suite("A thousand clients that begin together, and lose their service together, do not come together")
struct HerdTests {
  private let minute: Int64 = 60_000

  @Test(
    "Polls: after a deployment, from then on, and after outages of 20 s and of ten minutes (ready, service failing)",
    arguments: [(60, FetchLoop.Timing.fromEnd), (300, .fixedRate), (600, .lessWholeSeconds)] as [(Int64, FetchLoop.Timing)])
  func polls(intervalSeconds: Int64, timing: FetchLoop.Timing) {
    let short = 30 * minute..<30 * minute + 20_000
    let long = 50 * minute..<60 * minute
    let herd = Herd(milliseconds: 80 * minute, outages: [short, long]) {
      HerdPolls($0, RegularPace(interval: intervalSeconds * 1000, limit: 300_000), timing)
    }
    #expect(
      herd.crowds(in: [
        ("deployment", 1..<15 * minute), ("steady state", 15 * minute..<short.lowerBound),
        ("outage of 20 s", short.lowerBound..<long.lowerBound), ("outage of ten minutes", long.lowerBound..<80 * minute),
      ]) == [])
  }

  @Test("Streams: after outages of 20 s and of ten minutes, from the first attempt on (ready, service failing)")
  func streams() {
    let short = 5 * minute..<5 * minute + 20_000
    let long = 15 * minute..<25 * minute
    let herd = Herd(milliseconds: 35 * minute, outages: [short, long]) { Connections($0, ReconnectPace(base: 2000)) }
    #expect(
      herd.crowds(in: [
        ("outage of 20 s", short.lowerBound..<long.lowerBound), ("outage of ten minutes", long.lowerBound..<35 * minute),
      ]) == [])
  }

  @Test("A poll that a fetch out of turn, or the end of a hold, has put in step with others is out of it again (ready)")
  func inStepAgain() {
    let shared = 30 * minute
    let herd = Herd(milliseconds: 90 * minute) { host in
      let polls = HerdPolls(host, RegularPace(interval: 600_000, limit: 300_000))
      _ = host.time.schedule(afterMilliseconds: shared) { polls.fetchOutOfTurn() }
      _ = host.time.schedule(afterMilliseconds: shared + minute) { polls.hold(true) }
      _ = host.time.schedule(afterMilliseconds: 2 * shared) { polls.hold(false) }
      return polls
    }
    #expect(herd.crowds(in: [("after a fetch and a hold", shared + 1..<90 * minute)]) == [])
  }
}
