import HoistBase
@testable import HoistCore
import HoistTestSupport

@testable import HoistKameleoon

/// A visitor that is what the test says.
final class PlainVisitor: TrackedVisitor, @unchecked Sendable {
  let trackingMark = TrackingMark()
  private let lock = Lock()
  private var identity: TrackingIdentity
  private var consents = true
  private var mapping: TrackedDatum?
  private var selfLinks = 0
  /// What it was told of its exposures.
  let exposures = Locked<[String]>([])
  /// What it records when it is asked to link itself.
  var selfLink: ((PlainVisitor) -> Void)?

  init(_ code: String, subject: String? = nil, isMappingValue: Bool = false) {
    identity = TrackingIdentity(subject: Array((subject ?? code).utf8), code: Array(code.utf8), isMappingValue: isMappingValue)
  }

  var trackingIdentity: TrackingIdentity { lock.withLock { identity } }
  var hasConsentToTrack: Bool {
    get { lock.withLock { consents } }
    set { lock.withLock { consents = newValue } }
  }
  var mappingDatum: TrackedDatum? {
    get { lock.withLock { mapping } }
    set { lock.withLock { mapping = newValue } }
  }
  var userAgent: String {
    get { String(decoding: trackingIdentity.userAgent, as: UTF8.self) }
    set { lock.withLock { identity.userAgent = Array(newValue.utf8) } }
  }
  func linkToItself() {
    let link = selfLink
    selfLink = nil
    link?(self)
  }
  func exposures(_ experimentIDs: [Int64], areUnsent: Bool) {
    exposures.change { $0 += experimentIDs.map { "\($0) \(areUnsent ? "waits" : "is sent")" } }
  }
}

/// The visitors that a test has made.
final class OpenVisitors: TrackedVisitors {
  let all = Locked<[PlainVisitor]>([])
  /// Those whose consent is stored.
  let consenting = Locked<Set<String>>([])
  /// Whether it can be asked who has refused elsewhere.
  let isStoreThere = Locked(true)

  func visitor(of code: [UInt8]) -> (any TrackedVisitor)? { all.value.first { $0.trackingIdentity.code == code } }
  var namedByHost: [any TrackedVisitor] { all.value }
  func knownConsent(of identity: TrackingIdentity) -> Bool? { nil }
  func readConsent(of identity: TrackingIdentity, completion: @escaping @Sendable (Bool) -> Void) {
    completion(consenting.value.contains(String(decoding: identity.code, as: UTF8.self)))
  }
  func hearRefusals(of recipients: [TrackingRecipient], completion: @escaping @Sendable (Bool) -> Void) {
    completion(isStoreThere.value)
  }
}

/// A tracker over a scripted network.
struct TrackerBench {
  let host: TestHost
  let tracker: Tracker
  let open = OpenVisitors()

  init(
    _ properties: [String: String] = [:], manager: (any CacheManager)? = nil, seed: UInt64 = 7, isReady: Bool = true,
    scheduler: ManualScheduler = ManualScheduler()
  ) throws {
    host = TestHost(manager: manager, seed: seed, time: scheduler)
    var given = ["site_code": "site"]
    if manager == nil { given["events.durability"] = "memory" }
    let values = try TestHost.values(given.merging(properties) { $1 }, table: KameleoonProperties.table)
    let settings = try KameleoonSettings(values)
    let addresses = try ServiceAddresses(values, log: host.log)
    let reports = ServiceReports(host: host)
    let tokens = AccessTokens(host: host, settings: settings, addresses: addresses, reports: reports)
    tracker = Tracker(host: host, settings: settings, addresses: addresses, tokens: tokens, reports: reports)
    tracker.visitors = open
    host.network.setResponder { _ in answer(200) }
    tracker.start()
    if isReady { becomeReady() }
    settle()
  }

  func becomeReady() {
    let configuration = #"{"configuration":{"consentType":"REQUIRED"}}"#
    guard let compiled = try? KameleoonConfiguration.compile(configuration) else { return }
    tracker.configurationChanged(compiled.snapshot)
    compiled.snapshot.destroy()
    settle()
  }

  func visitor(_ code: String, subject: String? = nil, isMappingValue: Bool = false) -> PlainVisitor {
    let visitor = PlainVisitor(code, subject: subject, isMappingValue: isMappingValue)
    open.all.change { $0.append(visitor) }
    return visitor
  }

  /// Lets the store's lane and the scheduler come to rest.
  func settle() {
    let deadline = SystemClock().monotonicNanoseconds + 10_000_000_000
    repeat {
      host.time.run()
      _ = host.store.lane.drain(untilNanoseconds: deadline)
    } while host.time.pendingPostCount > 0
  }

  func advance(_ milliseconds: Int64) {
    host.time.advance(milliseconds: milliseconds)
    settle()
  }

  func flush(_ visitor: PlainVisitor) -> [Status] {
    let told = Locked<[Status]>([])
    tracker.flushNow(visitor) { status in told.change { $0.append(status) } }
    settle()
    return told.value
  }

  /// The lines of each request without their nonces.
  var sent: [[String]] { host.network.requests.map { $0.lines.map { String($0.dropFirst("nonce=0123456789ABCDEF&".count)) } } }
  var nonces: [[String]] { host.network.requests.map { $0.lines.map { String($0.dropFirst(6).prefix(16)) } } }

  func count(_ name: String) -> Int64? { tracker.statistics.first { $0.name == name }?.value }
}

extension HTTPRequest {
  var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}

/// Data as visitors hand them over.
enum Tracked {
  static let phone = TrackedDatum(kind: .device, key: [], place: 0, content: .device(.phone))
  static let desktop = TrackedDatum(kind: .device, key: [], place: 0, content: .device(.desktop))
  static let noDevice = TrackedDatum(kind: .device, key: [], place: 0, content: .withdrawn)
  static let phoneLine = "eventType=staticData&deviceType=PHONE"

  static func conversion(_ goal: Int64) -> TrackedDatum {
    TrackedDatum(kind: .conversion, key: nil, place: 0, content: .conversion(Conversion(goalID: goal)))
  }
  static func conversionLine(_ goal: Int64) -> String { "eventType=conversion&goalId=\(goal)&revenue=0.0&negative=false" }

  static func custom(_ index: Int64, _ values: String..., place: Int64 = 0, isMapping: Bool = false) -> TrackedDatum {
    TrackedDatum(
      kind: .customData, key: Array("\(index)".utf8), place: place,
      content: .customData(CustomData(index: index, values: values.map { Array($0.utf8) }), isMapping: isMapping))
  }

  static func exposure(_ experiment: Int64, _ variation: Int64, _ rule: RuleType = .experimentation) -> TrackedDatum {
    let assignment = Assignment(experimentID: experiment, variationID: variation, rule: rule, isUnsent: true, time: 0)
    return TrackedDatum(kind: .assignment, key: Array("\(experiment)".utf8), place: 0, content: .assignment(assignment))
  }
}
