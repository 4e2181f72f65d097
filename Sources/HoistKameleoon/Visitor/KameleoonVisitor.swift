internal import CShims
internal import HoistBase
public import HoistCore
internal import Synchronization

/// A visitor of a site: what the vendor calls a client (KAM-14). Thread-safe.
///
/// Decisions read one immutable object, which they find without a lock. It does not own its client: without that
/// nothing is ready.
public final class KameleoonVisitor: @unchecked Sendable {
  private let owner: UnownedClient<KameleoonVisitorRegistry>
  /// KAM-44
  public let code: [UInt8]
  /// Faults of the vendor's SDK are reproduced (section 7).
  let isStrict: Bool
  /// After this pause a decision checks what time has changed.
  private let restMilliseconds: Int64
  /// For decisions.
  let published: Published<VisitorFacts>
  let trackingMark = TrackingMark()

  private let uniqueness: Atomic<Bool>
  private let wasAskedFor = Atomic(true)
  private let lock = InlineLock()
  /// Guarded by `lock`.
  private var shared: VisitorData

  init(client: Client, registry: KameleoonVisitorRegistry, code: [UInt8], data: VisitorData, isUnique: Bool) {
    owner = UnownedClient(client, registry)
    self.code = code
    isStrict = registry.settings.isStrictVendor
    restMilliseconds =
      registry.settings.dataExpirationMilliseconds == nil
      ? VisitorLimits.visitIdleMilliseconds : VisitorLimits.lastEventGrainMilliseconds
    shared = data
    uniqueness = Atomic(isUnique)
    published = Published(data.read { content, _ in VisitorFacts(copy content, as: code) })
  }

  /// An owned reference to the client; nil when it is gone.
  public var client: Client? { owner.client }

  deinit { withClient { $1.closed(code) } }

  /// What is known of it, and of those that are linked with it.
  var data: VisitorData { lock.withLock { shared } }

  func replace(data: VisitorData) { lock.withLock { shared = data } }

  /// KAM-07
  public internal(set) var isUnique: Bool {
    get { uniqueness.load(ordering: .acquiring) }
    set { uniqueness.store(newValue, ordering: .releasing) }
  }

  /// False for the client's own visitor of a generated code until the host has asked for it (KAM-14).
  var isNamedByHost: Bool {
    get { wasAskedFor.load(ordering: .acquiring) }
    set { wasAskedFor.store(newValue, ordering: .releasing) }
  }

  /// With the lock of its data held.
  func publish(_ facts: VisitorFacts) { published.replace(facts) }

  /// What decisions read, as it is now. Only inside a reading section, and valid as long as it.
  @inline(__always)
  var currentFacts: Unmanaged<VisitorFacts>? {
    guard let known = published.current else { return nil }
    return known._withUnsafeGuaranteedRef { $0.areOutdated } ? renewedFacts() : known
  }

  @inline(never)
  private func renewedFacts() -> Unmanaged<VisitorFacts>? {
    data.renew(self)
    return published.current
  }

  /// An owned reference to the same.
  var heldFacts: VisitorFacts? {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return currentFacts?.takeUnretainedValue()
  }

  /// Only inside a reading section.
  var isOutdated: Bool { published.current?._withUnsafeGuaranteedRef { $0.areOutdated } ?? true }

  /// Runs `body` with a client that still is, and is not a stale copy in a forked child.
  /// - Returns: nil when the client is gone.
  @inline(__always)
  func withClient<Result>(_ body: (Client, KameleoonVisitorRegistry) -> Result) -> Result? { owner.withClient(body) }

  /// The snapshot that decisions read, in a reading section: after a pause with a new visit, and without data that is
  /// too old (KAM-03, KAM-B29). Valid as long as the section.
  @inline(__always)
  func facts(now: Int64) -> Unmanaged<VisitorFacts>? {
    guard let facts = currentFacts else { return nil }
    let isRested = facts._withUnsafeGuaranteedRef { now &- $0.content.lastEvent >= restMilliseconds }
    return isRested ? factsAfterRest : facts
  }

  @inline(never)
  private var factsAfterRest: Unmanaged<VisitorFacts>? {
    change { _ in }
    return currentFacts
  }

  func isClosed(_ client: Client) -> Bool { shim_load_u32(&client.hot.pointee.gate) & Gate.closed != 0 }

  /// Changes what is known of it, unless the client is gone.
  /// - Parameter body: short, and makes no calls out.
  /// - Returns: `.limit` when there was no room for something of it that is to be sent.
  @discardableResult
  func change(_ body: (inout VisitorDraft) -> Void) -> Status {
    withClient { _, registry in registry.change(self, body) } ?? .state
  }
}

extension VisitorFacts {
  /// The snapshot of one of the visitors that share it.
  convenience init(_ content: consuming Content, as code: [UInt8]) {
    content.code = code
    self.init(content)
  }
}
