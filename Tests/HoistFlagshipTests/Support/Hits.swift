import Glibc
import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistFlagship

extension VisitorIdentity {
  init(_ visitorID: String, anonymous: String? = nil) {
    self.init(visitorID: Array(visitorID.utf8), anonymousID: anonymous.map { Array($0.utf8) })
  }
}

extension Hit {
  static func screen(_ location: String) -> Hit { .screen(location: Array(location.utf8)) }
  static func page(_ location: String) -> Hit { .page(location: Array(location.utf8)) }
  static func action(_ action: String) -> Hit { .event(.actionTracking, action: Array(action.utf8)) }
}

/// A whole client whose server answers what the test says, and what reached it.
final class HitRig {
  let rig: FlagshipRig
  let answers: Locked<@Sendable (HTTPRequest) -> ScriptedTransport.Answer?>

  init(
    _ properties: [String: String] = [:], plugins: Plugins = Plugins(), observer: (any FlagshipObserver)? = nil,
    cacheManager: (any CacheManager)? = nil, scheduler: ManualScheduler = ManualScheduler(), status: Int = 200
  ) throws {
    let answers = Locked<@Sendable (HTTPRequest) -> ScriptedTransport.Answer?>({ _ in .status(status) })
    self.answers = answers
    rig = try FlagshipRig(
      properties, plugins: plugins, cacheManager: cacheManager, scheduler: scheduler, observer: observer
    ) { answers.value($0) }
  }

  var hits: HitPool { rig.provider.hits }
  var activates: ActivateReporter { rig.provider.activates }
  let visitor = VisitorIdentity("user-42")

  /// Sends on a thread of the host's, while the scheduler turns: with immediate durability the call waits for the store.
  func sendOnThread(_ hit: @escaping @autoclosure @Sendable () -> Hit) {
    let (hits, visitor) = (hits, visitor)
    let call = HostCall { _ = hits.send(hit(), from: visitor, hasConsented: true) }
    var thread = pthread_t()
    let isStarted = pthread_create(&thread, nil, { HostCall.run($0) }, Unmanaged.passRetained(call).toOpaque()) == 0
    #expect(isStarted)
    rig.settle { call.isDone.value }
    pthread_join(thread, nil)
  }

  /// The end of this process: nothing is sent any more, and the store's rows are anybody's.
  func leave() {
    rig.client.onScheduler { $0.provider?.stop() }
    rig.scheduler.run()
    _ = rig.client.store.close(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: 20_000))
  }

  func answer(_ status: Int?) { answers.value = { _ in status.map { .status($0) } } }

  @discardableResult
  func send(_ hit: borrowing Hit, from visitor: VisitorIdentity? = nil, consent: Bool = true) -> Status {
    hits.send(hit, from: visitor ?? self.visitor, hasConsented: consent)
  }

  func run(_ milliseconds: Int64 = 0) {
    for _ in 0..<4 { rig.scheduler.run() }
    rig.scheduler.advance(milliseconds: milliseconds)
  }

  /// Requests that end in a path.
  func requests(_ suffix: String) -> [HTTPRequest] { rig.transport.requests.filter { $0.url.hasSuffix(suffix) } }
  /// The items of each batch of hits, `qt` included.
  var batches: [[String]] { requests("events.flagship.io/").map { items($0.text, "h") } }
  var activateBatches: [[String]] { requests("/activate").map { items($0.text, "batch") } }

  /// One line about each batch: what stands in `keys` of its items.
  func said(_ batches: [[String]], _ key: StaticString) -> [String] {
    batches.map { $0.map { text(of: $0, key) }.joined(separator: ",") }
  }
  var locations: [String] { said(batches, "dl") }

  private func items(_ body: String, _ key: StaticString) -> [String] {
    guard let document = try? JSONDocument(parsing: body) else { return ["(not JSON)"] }
    return document.withRoot { root in
      (root[key]?.array).map { array in array.map { (try? $0.text()).map { String(decoding: $0, as: UTF8.self) } ?? "?" } } ?? []
    }
  }

  private func text(of item: String, _ key: StaticString) -> String {
    guard let document = try? JSONDocument(parsing: item) else { return "?" }
    return document.withRoot { $0[key].map { $0.string ?? "\($0.int64 ?? -1)" } ?? "-" }
  }

  func counter(_ group: String, _ name: String) -> Int64? {
    rig.provider.statistics.first { $0.group == group && $0.name == name }?.value
  }
}

/// Work for a thread that is none of the library's.
final class HostCall: Sendable {
  let isDone = Locked(false)
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let call = Unmanaged<HostCall>.fromOpaque(argument).takeRetainedValue()
    call.body()
    call.isDone.value = true
    return nil
  }
}
