import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistLaunchDarkly

/// A server's events over a scripted network and a clock that stands still.
final class ServerEventRig {
  let host: TestHost
  let events: ServerEvents
  let deliveries = Deliveries()
  private let counted = Locked<[(key: [UInt8], identity: CounterIdentity)]>([])
  /// Beside the counters of flags, by their keys.
  private var words: [String: UnsafeMutablePointer<UInt32>] = [:]
  private var contexts: [String: ContextReference] = [:]
  var time: ManualScheduler { host.time }
  var outlet: EventOutlet { events.outlet }

  static let user = #"{"kind":"user","key":"u","name":"n"}"#
  static let anonymous = #"{"kind":"user","key":"a","name":"n","anonymous":true}"#

  init(
    manager: (any CacheManager)? = nil, seed: UInt64 = 7, isOnline: Bool = true,
    seen: SeenContexts.Options = SeenContexts.Options(), _ change: (inout EventOptions) -> Void = { _ in }
  ) {
    host = TestHost(manager: manager, seed: seed)
    var options = EventOptions(policy: LaunchDarklyEventPolicy.Options(url: "https://e.test/bulk", flushMilliseconds: 5_000))
    options.policy.isServer = true
    options.capacity = 10_000
    options.payloadsAtOnce = 5
    options.durability = manager == nil ? .memory : .periodic
    change(&options)
    events = ServerEvents(host: host, options: options, seen: seen, headers: PlainHeaders()) { [counted] body in
      let entries = counted.value
      counted.value = []
      for entry in entries { entry.key.withBytes { body($0, entry.identity, 1) } }
    }
    outlet.policy.listener = deliveries
    events.start()
    if isOnline { outlet.onlineChanged(true) }
    time.run()
  }

  deinit { for word in words.values { word.deallocate() } }

  var requests: [HTTPRequest] { host.network.requests }
  /// The kinds of the events of each payload, a custom event by its key.
  var payloads: [[String]] { requests.map { RecorderRig.kinds($0) } }
  var texts: [String] { requests.map(\.text) }

  func answer(_ answers: ScriptedTransport.Answer...) { for answer in answers { host.network.enqueue(answer) } }

  /// - Parameter json: the same text is the same context.
  func context(_ json: String) -> FrozenContext {
    if let known = contexts[json] { return known.frozen }
    guard let made = json.withBytes({ try? LDContext.read(json: $0) })?.reference else { preconditionFailure(json) }
    contexts[json] = made
    return made.frozen
  }

  func user(_ key: String) -> String { #"{"kind":"user","key":"\#(key)"}"# }

  /// Evaluates a flag that is known, as an evaluator tells of it.
  func evaluate(
    _ key: String, for json: String = ServerEventRig.user, variation: Int64? = 0, result: String = "true",
    fallback: String? = nil,
    isDetailed: Bool = false, reason: String? = nil, prerequisiteOf: String? = nil, hasCell: Bool = true,
    _ change: (inout FlagEvents) -> Void = { _ in }
  ) {
    var flag = FlagEvents()
    change(&flag)
    let name = "\(key) \(variation ?? -1)"
    if words[name] == nil {
      let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
      word.initialize(to: 0)
      words[name] = word
    }
    if hasCell, !flag.isLeftOut {
      counted.change { $0.append((Array(key.utf8), CounterIdentity(variation: variation, version: 2))) }
    }
    let texts = [key, result, fallback ?? "", reason ?? "", prerequisiteOf ?? ""].map { Array($0.utf8) }
    events.evaluated(flag, counted: hasCell ? .cell(words[name]) : .here, of: context(json)) { take in
      texts[0].withBytes { key in
        texts[1].withBytes { result in
          texts[2].withBytes { given in
            texts[3].withBytes { why in
              texts[4].withBytes { dependent in
                var facts = FlagFacts(key: key, variation: variation, version: 2, value: result)
                facts.events = flag
                facts.reason = reason == nil ? nil : why
                take(
                  FlagUse(
                    key: key, flag: facts, result: result, fallback: fallback == nil ? nil : given, isDetailed: isDetailed,
                    prerequisiteOf: prerequisiteOf == nil ? nil : dependent))
              }
            }
          }
        }
      }
    }
  }

  func unknown(_ key: String, for json: String = ServerEventRig.user, fallback: Bool? = nil) {
    let fallback = fallback.map { EvaluationFallback($0) }
    key.withBytes { events.unknown($0, fallback, of: context(json)) }
  }

  @discardableResult
  func track(_ key: String, for json: String = ServerEventRig.user, data: String? = nil, metric: Double? = nil) -> Status {
    key.withBytes { key in
      data.map { $0.withBytes { events.track(key, data: $0, metric: metric, of: context(json)) } }
        ?? events.track(key, data: nil, metric: metric, of: context(json))
    }
  }

  @discardableResult
  func identify(_ json: String = ServerEventRig.user) -> Status { events.identify(context(json)) }

  /// Nil while the flush has not ended.
  @discardableResult
  func flush() -> FlushResult? {
    let ended = Locked<FlushResult?>(nil)
    outlet.flush { ended.value = $0 }
    time.run()
    return ended.value
  }
}
