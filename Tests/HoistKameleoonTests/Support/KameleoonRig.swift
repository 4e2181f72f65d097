import Glibc
import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistKameleoon

/// A whole client over a scripted transport and a clock that stands still.
final class KameleoonRig: @unchecked Sendable {
  private let host: TestClient
  let face: KameleoonFace

  /// - Parameters:
  ///   - properties: over those that make a client that keeps nothing.
  ///   - configuration: what the client starts with; nil: it is not ready.
  ///   - cacheManager: nil keeps nothing.
  init(
    _ properties: [String: String] = [:], configuration: String? = #"{"featureFlags":[]}"#, plugins: Plugins = Plugins(),
    cacheManager: (any CacheManager)? = nil, scheduler: ManualScheduler = ManualScheduler(), seed: UInt64 = 7,
    respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws {
    var fixed = [
      "site_code": "site", "dispatch": "manual", "store": "none", "log.level": "debug", "events.durability": "memory",
    ]
    fixed["default_datafile"] = configuration
    host = try TestClient(
      KameleoonFactory(), fixed, properties, plugins: plugins, scheduler: scheduler,
      transport: ScriptedTransport(scheduler: scheduler, respond: respond), seed: seed, makeCacheManager: { _ in cacheManager })
    guard let face = KameleoonFace(host.client) else { throw Missing() }
    self.face = face
    host.open()
    // A store answers from a thread of its own.
    if configuration != nil, cacheManager != nil { settle { face.provider.readiness.isReady } }
  }

  struct Missing: Error {}

  var scheduler: ManualScheduler { host.scheduler }
  var transport: ScriptedTransport { host.transport }
  var client: Client { host.client }
  var log: RecordingLogSink { host.log }
  var provider: KameleoonProvider { face.provider }
  var visitors: KameleoonVisitorRegistry { face.provider.visitors }

  @discardableResult
  func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) -> Bool {
    host.settle(file: file, line: line, until: isDone)
  }

  func advanceAfterStore(milliseconds: Int64) { host.advanceAfterStore(milliseconds: milliseconds) }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension KameleoonRig {
  /// A visitor of whom everything that is kept is there.
  func visitor(_ code: String?) throws -> KameleoonVisitor {
    let visitor = try visitors.open(code.map { bytes($0) }, of: client, waits: false)
    settle { visitors.people.restored(visitor.code)?.isGiven ?? true }
    return visitor
  }
}

extension KameleoonVisitor {
  var facts: VisitorFacts.Content { heldFacts?.content ?? VisitorFacts.Content(code: [], visitStart: 0) }

  /// As if flags had been decided so.
  func assign(_ decided: [DecidedAssignment]) { withClient { _, registry in assign(decided, registry) } }
}

extension TrackedRow {
  /// A row as it waits, of what is recorded.
  static func payload(
    _ datum: TrackedDatum, of identity: TrackingIdentity, hasConsent: Bool, nonce: UInt64, isOwn: Bool = false
  ) -> [UInt8] {
    withRecord(datum, of: identity, hasConsent: hasConsent, nonce: nonce, isOwn: isOwn) { head, content in
      (Array(head) + Array(content)).withUnsafeBytes { finished($0) }
    }
  }
}

extension Tracker {
  func record(_ datum: TrackedDatum, of visitor: any TrackedVisitor) {
    record(datum, of: visitor.trackingIdentity, hasConsent: visitor.hasConsentToTrack)
  }
}

/// A configuration with custom data: `uid`, the mapping identifier, at 3, of scope VISITOR; `plan` at 0; `secret` at 5,
/// which is local; `shared` at 6, of scope VISITOR. One flag, `exp`, with experiment 100 for everybody.
let customDataConfiguration = """
  {"customData":[{"id":700,"index":3,"name":"uid","scope":"VISITOR","isMappingIdentifier":true},
  {"id":701,"index":0,"name":"plan"},{"id":702,"index":5,"name":"secret","localOnly":true},
  {"id":703,"index":6,"name":"shared","scope":"VISITOR"}],
  "featureFlags":[{"id":1,"featureKey":"exp","defaultVariationKey":"off","environmentEnabled":true,
  "variations":[{"key":"off","variables":[]},{"key":"on","variables":[]}],
  "rules":[{"id":10,"type":"EXPERIMENTATION","exposition":1,"experimentId":100,
  "variationByExposition":[{"variationKey":"on","variationId":1,"exposition":1}]}]}]}
  """

extension KameleoonRig {
  /// The lines of a visitor that go now, in order, without their nonces.
  func sent(_ visitor: KameleoonVisitor) -> [String] {
    let first = transport.requests.count
    guard visitor.flush(isInstant: true) == .ok else { return ["(refused)"] }
    for _ in 0..<10 { scheduler.run() }
    let requests = transport.requests.dropFirst(first).filter { $0.url.contains("/visit/events") }
    return requests.flatMap { $0.text.split(separator: "\n") }.map { line in
      line.split(separator: "&").filter { !$0.hasPrefix("nonce=") }.joined(separator: "&")
    }
  }

  /// What the store has of a visitor, once what waits is there.
  func kept(_ code: String, in store: MemoryCacheManager) -> String? {
    visitors.storage.writeAll()
    settle { visitors.people.record(of: bytes(code)).map { $0.mark.isSettled(scheduler.generation) } ?? true }
    let isWritten = Locked(false)
    client.store.writeValues { _ in isWritten.value = true }
    settle { isWritten.value }
    return store.load(key: "visitor:\(code)").map { text($0) }
  }
}

func custom(_ index: Int64, _ values: String...) -> VisitorDatum {
  .customData(CustomData(index: index, values: values.map { bytes($0) }))
}
