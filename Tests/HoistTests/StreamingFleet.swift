import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import Hoist

/// A service whose clients decide by themselves, and stream what changes. Its document is one flag, named by its version.
struct StreamedService: Sendable, CustomTestStringConvertible {
  let name: String
  var properties: [String: String]
  /// As polls bring it.
  var document: @Sendable (_ flag: String) -> String
  /// Beside it.
  var headers: [HTTPHeader] = []
  /// The first message of a stream.
  let beginning: @Sendable (_ flag: String) -> String
  /// A message that adds a flag.
  let addition: @Sendable (_ flag: String) -> String
  /// Whether the one that fetches for all polls once before it streams.
  let pollsFirst: Bool

  var testDescription: String { name }

  static let all = [unleash, launchDarkly]

  static let unleash = StreamedService(
    name: "unleash",
    properties: [
      "mode": "backend", "url": "https://flags.test/api", "key": "*:dev.secret", "app_name": "shop", "fetch_mode": "streaming",
      "disable_registration": "true", "disable_metrics": "true",
    ],
    document: { "{\"version\":2,\"features\":[{\"name\":\"\($0)\",\"enabled\":true}]}" },
    beginning: {
      let event = "{\"type\":\"hydration\",\"eventId\":1,\"features\":[{\"name\":\"\($0)\",\"enabled\":true}],\"segments\":[]}"
      return "event: unleash-connected\ndata: {\"events\":[\(event)]}\n\n"
    },
    addition: {
      let event = "{\"type\":\"feature-updated\",\"eventId\":2,\"feature\":{\"name\":\"\($0)\",\"enabled\":true}}"
      return "event: unleash-updated\ndata: {\"events\":[\(event)]}\n\n"
    }, pollsFirst: true)

  static let launchDarkly = StreamedService(
    name: "launchdarkly", properties: ["mode": "server", "mobile_key": "sdk-1", "send_events": "false"],
    document: { "{\"flags\":{\"\($0)\":\(rule($0))},\"segments\":{}}" },
    beginning: { "event: put\ndata: {\"path\":\"/\",\"data\":{\"flags\":{\"\($0)\":\(rule($0))},\"segments\":{}}}\n\n" },
    addition: { "event: patch\ndata: {\"path\":\"/flags/\($0)\",\"data\":\(rule($0))}\n\n" }, pollsFirst: false)

  private static func rule(_ flag: String) -> String {
    "{\"key\":\"\(flag)\",\"version\":1,\"on\":true,\"variations\":[true],\"fallthrough\":{\"variation\":0}}"
  }
}

/// A client of a fleet, in a process of its own unless it is given another's.
final class StreamingMember {
  let process: FleetScheduler
  let host: TestClient
  private let person = EvaluationContext(targetingKey: "k")

  init(
    _ service: StreamedService, _ properties: [String: String], _ store: FleetStore, _ process: FleetScheduler, seed: UInt64
  ) throws {
    self.process = process
    let base = [
      "store": "memory", "dispatch": "manual", "log.level": "debug", "fetch.shared": "leader", "fetch.shared.lease_ms": "15000",
      "fetch.shared.poll_ms": "2000",
    ]
    host = try TestClient(
      #require(Providers.factory(named: service.name)), base, service.properties, properties, scheduler: process.time, seed: seed,
      share: nil, process: process, makeCacheManager: { _ in store })
  }

  /// Also a killed one has to end.
  deinit { process.isAlive = true }

  var client: Client { host.client }
  var network: ScriptedTransport { host.transport }
  var state: ClientState { client.state }
  var openStreams: [ScriptedExchange] { network.streams.filter { !$0.isEnded } }
  var streams: Int { network.streams.count }
  var polls: Int { network.requests.count - streams }
  var lines: [String] { host.log.lines.map(\.message) }
  var leads: Bool { count("leads") == 1 }

  func count(_ name: String) -> Int64? {
    client.provider?.statistics.first { $0.group == "shared_fetch" && $0.name == name }?.value
  }

  func serves(_ flag: String) -> Bool {
    flag.withBytes {
      client.evaluate($0, person.subject, .bool, []) { evaluation, _ in
        evaluation.errorCode == .none && evaluation.integer != 0
      }
    }
  }

  func setOnline(_ isOnline: Bool) {
    _ = client.setOnline(isOnline)
    process.time.run()
  }

  func close() {
    _ = process.time.turning { client.close(timeoutMilliseconds: 5000) }
    process.time.run()
  }

  func reopen() {
    _ = client.reopen()
    process.time.run()
  }
}

/// Processes over one store, and a service that streams.
final class StreamingFleet {
  let service: StreamedService
  let time = ManualScheduler()
  let store: FleetStore
  private(set) var members: [StreamingMember] = []
  /// Of the newest flag, which is what there is for who comes now.
  private let flag = Locked("v1")
  /// What the service answers instead.
  let refusal = Locked<Int?>(nil)

  init(_ service: StreamedService, _ count: Int = 0, _ properties: [String: String] = [:]) throws {
    self.service = service
    store = FleetStore(time)
    for _ in 0..<count { try add(properties) }
    pass(5)
  }

  @discardableResult
  func add(
    _ properties: [String: String] = [:], time: ManualScheduler? = nil, in process: FleetScheduler? = nil
  ) throws -> StreamingMember {
    let process = process ?? FleetScheduler(time ?? self.time)
    let member = try StreamingMember(service, properties, store, process, seed: UInt64(members.count + 1))
    let (service, flag, refusal) = (service, flag, refusal)
    member.network.setResponder { _ in
      refusal.value.map { answer($0) } ?? answer(200, service.document(flag.value), service.headers)
    }
    member.network.setStreams { stream in
      if let status = refusal.value {
        stream.open(status: status)
        return stream.endStream()
      }
      stream.open(headers: [HTTPHeader("Content-Type", "text/event-stream")])
      stream.receive(service.beginning(flag.value))
    }
    members.append(member)
    member.host.open()
    return member
  }

  /// The service has another flag, and tells its streams.
  func publish(_ flag: String) {
    self.flag.value = flag
    for stream in members.flatMap(\.openStreams) { stream.receive(service.addition(flag)) }
  }

  /// The service says something else.
  func say(_ event: String, _ data: String) {
    for stream in members.flatMap(\.openStreams) { stream.receive("event: \(event)\ndata: \(data)\n\n") }
    time.run()
  }

  /// Time passes, a second at a time.
  func pass(_ seconds: Int) { for _ in 0..<seconds { time.advance(milliseconds: 1000) } }

  var living: [StreamingMember] { members.filter(\.process.isAlive) }
  var leaders: [StreamingMember] { living.filter(\.leads) }
  func others(than one: StreamingMember) -> [StreamingMember] { living.filter { $0 !== one } }
  /// At the service, but for those of the dead.
  var openStreams: Int { living.reduce(0) { $0 + $1.openStreams.count } }
  var streams: Int { members.reduce(0) { $0 + $1.streams } }
  var polls: Int { members.reduce(0) { $0 + $1.polls } }
  func all(serve flag: String) -> Bool { living.allSatisfy { $0.serves(flag) } }

  /// What the store has.
  var kept: String { String(decoding: store.inner.load(key: store.ledKey.value) ?? [], as: UTF8.self) }
  func loseKept() { store.inner.remove(key: store.ledKey.value) }
}
