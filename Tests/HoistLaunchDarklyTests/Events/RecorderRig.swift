import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistLaunchDarkly

/// A recorder of events over a scripted network and a clock that stands still.
final class RecorderRig {
  let host: TestHost
  let recorder: EventRecorder
  let deliveries = Deliveries()
  var time: ManualScheduler { host.time }

  static let user = SummaryAccumulatorTests.context("u", fingerprint: 1)

  init(
    manager: (any CacheManager)? = nil, seed: UInt64 = 7, isOnline: Bool = true, identifies: Bool = true,
    cells: (any CountedFlags)? = nil, _ change: (inout EventOptions) -> Void = { _ in }
  ) {
    host = TestHost(manager: manager, seed: seed)
    var options = EventOptions(policy: LaunchDarklyEventPolicy.Options(url: "https://e.test/mobile/events/bulk"))
    options.durability = manager == nil ? .memory : .periodic
    change(&options)
    recorder = EventRecorder(host: host, options: options, headers: PlainHeaders(), cells: cells)
    recorder.outlet.policy.listener = deliveries
    if identifies { recorder.identify(Self.user) }
    recorder.start()
    if isOnline { recorder.onlineChanged(true) }
    time.run()
  }

  var requests: [HTTPRequest] { host.network.requests }

  /// The kinds of the events of each payload, a custom event by its key.
  var payloads: [[String]] { requests.map { Self.kinds($0) } }

  static func kinds(_ request: HTTPRequest) -> [String] {
    guard let document = try? JSONDocument(parsing: request.body ?? []) else { return ["no JSON"] }
    return document.withRoot { root in
      root.array.map { events in
        events.map { event in
          let kind = event["kind"]?.string ?? "?"
          return kind == "custom" ? event["key"]?.string ?? "?" : kind
        }
      } ?? ["no array"]
    }
  }

  @discardableResult
  func track(_ key: String) -> Status { key.withBytes { recorder.track($0, data: nil, metric: nil) } }

  func countUnknown(_ key: String) { key.withBytes { recorder.countUnknown($0, fallback: nil) } }

  /// Nil while the flush has not ended.
  @discardableResult
  func flush() -> Bool? {
    let ended = Locked<Bool?>(nil)
    recorder.flush { ended.value = $0 == .accepted }
    time.run()
    return ended.value
  }

  /// Until everything that the store was asked for has been done: it does one thing after the other.
  func waitForStore() {
    let isDone = Locked(false)
    host.store.load("nothing") { _ in isDone.value = true }
    host.settle { isDone.value }
  }

  func answer(_ answers: ScriptedTransport.Answer...) { for answer in answers { host.network.enqueue(answer) } }

  /// Evaluates a flag that is stored.
  func evaluate(
    _ key: String, isFirst: Bool = true, isDetailed: Bool = false, prerequisites: [String: FlagFacts] = [:],
    _ change: (inout FlagFacts) -> Void = { _ in }
  ) {
    key.withBytes { name in
      "true".withBytes { value in
        var flag = FlagFacts(key: name, variation: 0, version: 2, value: value)
        change(&flag)
        let use = FlagUse(key: name, flag: flag, result: value, fallback: nil, isDetailed: isDetailed)
        recorder.evaluated(use, isFirst: isFirst, noted: {}) {
          prerequisites[String(decoding: $0, as: UTF8.self)]
        }
      }
    }
  }
}

/// Writes down what becomes of deliveries.
final class Deliveries: DeliveryListener {
  private(set) var ended: Int?
  private(set) var failures: [(status: Int?, cause: String)] = []

  func madePayload(ofEvents count: Int) {}
  func deliveryEnded(_ status: Int) { ended = status }
  func deliveryFailed(_ status: Int?, _ cause: String) { failures.append((status, cause)) }
}

/// No headers but a request's own.
struct PlainHeaders: HeaderSource {
  func prepare(_ own: [HTTPHeader], for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void) { completion(own) }
}
