import HoistBase
@testable import HoistCore
import HoistTestSupport

/// One process, with a source of a text.
final class FleetMember: ConfigurationFormat, @unchecked Sendable {
  let host: TestHost
  let scheduler: FleetScheduler
  private(set) var source: ConfigurationSource<FleetMember>!
  private(set) var served: [String] = []
  private(set) var leads = false
  let given = GivenDocument(bytes: nil, path: "", property: "", limitBytes: 0)
  let name = "the text"

  static let lease: Int64 = 15_000
  static let interval: Int64 = 60_000

  /// - Parameter lease: of the lead; looks are a quarter of it apart, two seconds at most unless it is another one.
  init(_ manager: any CacheManager, _ scheduler: FleetScheduler, seed: UInt64, isReader: Bool, lease: Int64) {
    self.scheduler = scheduler
    host = TestHost(manager: manager, seed: seed, share: nil, time: scheduler.time, scheduler: scheduler)
    host.fetchSharing = FetchSharing(
      isReader: isReader, leaseMilliseconds: lease, pollMilliseconds: lease == Self.lease ? 2000 : lease)
    source = ConfigurationSource(
      host: host, format: self, storageKey: "text", pace: RegularPace(interval: Self.interval, limit: 300_000),
      options: .init(headerProvider: nil))
  }

  func compile(_ document: [UInt8]) throws(FetchFailure) -> String { String(decoding: document, as: UTF8.self) }
  func discard(_ configuration: String) {}
  func serve(_ configuration: String, from origin: ConfigurationOrigin) { served.append(configuration) }
  func isServed(_ configuration: String) -> Bool { served.last == configuration }
  func request() -> HTTPRequest { HTTPRequest(method: "GET", url: "http://localhost/text") }
  func leads(_ isLeading: Bool) { leads = isLeading }

  func open() { source.start(ConfigurationStart()) }
  var requests: Int { host.network.requests.count }
  func count(_ name: String) -> Int64? { source.statistics.first { $0.name == name }?.value }
  var lines: [String] { host.lines.lines.map(\.message) }
}

/// Processes over one store, and a service with a text.
final class SharingFleet {
  let time = ManualScheduler()
  let store: FleetStore
  let text = Locked("v1")
  private(set) var members: [FleetMember] = []

  private let lease: Int64

  /// - Parameter tells: whether the store tells of others' changes; then looks by time are an hour apart.
  init(_ count: Int = 0, isReader: Bool = false, tells: Bool = false) {
    store = FleetStore(time, tells: tells)
    lease = tells ? 4 * 3_600_000 : FleetMember.lease
    for _ in 0..<count { _ = add(isReader: isReader) }
  }

  /// - Parameter time: of its own, for a process that may be stopped.
  func add(isReader: Bool = false, time: ManualScheduler? = nil, hasThreads: Bool = false) -> FleetMember {
    let process = FleetScheduler(time ?? self.time, hasThreads: hasThreads)
    let member = FleetMember(store, process, seed: UInt64(members.count + 1), isReader: isReader, lease: lease)
    let text = text
    member.host.network.setResponder { request in
      let (now, date) = (text.value, "date of \(text.value)")
      if request.headers.value(of: "If-Modified-Since") == date { return answer(304) }
      return answer(200, now, [HTTPHeader("Last-Modified", date)])
    }
    members.append(member)
    member.open()
    return member
  }

  /// Time passes, a second at a time.
  func pass(_ seconds: Int) { for _ in 0..<seconds { time.advance(milliseconds: 1000) } }

  var leaders: [FleetMember] { members.filter { $0.scheduler.isAlive && $0.leads } }
  var requests: Int { members.reduce(0) { $0 + $1.requests } }
  func all(serve text: String) -> Bool { members.allSatisfy { !$0.scheduler.isAlive || $0.served.last == text } }
}
