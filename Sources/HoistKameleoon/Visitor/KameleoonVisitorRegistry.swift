internal import HoistBase
internal import HoistCore
internal import Synchronization

/// Leads from the storage to the registry, which holds it.
private final class StorageListener: Sendable {
  struct Place: Sendable {
    weak var registry: KameleoonVisitorRegistry?
  }
  let registry = LockedValue(Place())
}

/// The visitors of a site (protocols/kameleoon.md 4.3, 4.5): one object per code while it is open. Thread-safe, but for
/// the calls of `ClientPart`.
final class KameleoonVisitorRegistry: ClientPart, @unchecked Sendable {
  let host: any ProviderHost
  let settings: KameleoonSettings
  let tracker: Tracker
  let storage: VisitorStorage
  private let listener = StorageListener()
  let people = SubjectDirectory<KameleoonVisitor, VisitorData, Bool>(maximumClosed: VisitorLimits.closedVisitors)
  let own: OwnVisitor
  /// Begins when what an earlier run has left of the client's own visitor was taken over.
  weak var source: SiteSource?
  /// Before the first configuration consent may be required.
  private let known = LockedValue<(definitions: CustomDataDefinitions?, requiresConsent: Bool)>((nil, true))
  private let hasConfiguration = Atomic<Bool>(false)
  /// Looks for refusals of everyone in memory. On the scheduler's thread.
  var looks = Rounds()
  /// Held while a visitor changes from one's data to another's. Taken before every other lock.
  private let linking = Lock()

  init(host: any ProviderHost, settings: KameleoonSettings, tracker: Tracker) {
    self.host = host
    self.settings = settings
    self.tracker = tracker
    let listener = listener
    storage = VisitorStorage(host: host, settings: settings) { listener.registry.withLock { $0.registry }?.heard($0, $1) }
    own = OwnVisitor(host: host, settings: settings)
    listener.registry.withLock { $0.registry = self }
    tracker.visitors = self
  }

  /// What the configuration says of custom data; nil before the first one.
  var definitions: CustomDataDefinitions? { known.withLock { $0.definitions } }
  /// Whether there has been one.
  var isReady: Bool { hasConfiguration.load(ordering: .acquiring) }
  /// Whether visitors have to consent (3.8).
  var requiresConsent: Bool { known.withLock { $0.requiresConsent } }

  // MARK: Changing

  /// - Returns: `.limit` when there was no room for something of it that is to be sent.
  @discardableResult
  func change(_ visitor: KameleoonVisitor, _ body: (inout VisitorDraft) -> Void) -> Status {
    let data = visitor.data
    var status = Status.ok
    var linked: [[UInt8]] = []
    var isUnique: Bool?
    data.change(for: visitor.code, { environment(isUnique: visitor.isUnique) }) { draft in
      draft.begin(expiringAfter: settings.dataExpirationMilliseconds)
      body(&draft)
      if let isUnique = draft.change.isUnique, draft.content.code == draft.code { draft.rest.isUnique = isUnique }
    } record: { change in
      status = record(change, of: data)
      (linked, isUnique) = (change.linked, change.isUnique)
    }
    if let isUnique {
      setUnique(isUnique, visitor)
      let owner = data.code
      if owner != visitor.code, !owner.isEmpty { keepLink(visitor.code, to: data, isUnique: isUnique) }
    }
    for code in linked { link(code, to: data) }
    storage.changed(data)
    return status
  }

  func setUnique(_ isUnique: Bool, _ visitor: KameleoonVisitor) {
    visitor.isUnique = isUnique
    people.setNote(isUnique, of: visitor.code)
  }

  /// With immediate durability: until all changes of the visitor and all records so far are stored, unless that takes too long.
  /// - Parameter status: what came of the change.
  /// - Returns: `.unsaved` when it was `.ok` and something of it is in memory alone.
  func waitForCommit(of visitor: KameleoonVisitor, _ status: Status) -> Status {
    guard settings.eventDurability == .immediate else { return status }
    let deadline = Deadline.nanoseconds(afterMilliseconds: Tracker.commitLimitMilliseconds)
    let recorded = tracker.waitForCommit()
    if !Thread.isOwn { _ = people.restored(visitor.code)?.wait(untilNanoseconds: deadline) }
    let kept = storage.waitForCommit(of: visitor.data, untilNanoseconds: deadline)
    return [status, recorded, kept].first { $0 != .ok } ?? .ok
  }

  /// What follows from a change, before another one can begin.
  func record(_ change: borrowing VisitorChange, of data: VisitorData) -> Status {
    for complaint in change.complaints { host.log.error(complaint) }
    var status = Status.ok
    // By their places: an iterator would copy each.
    for place in change.tracked.indices {
      if tracker.record(change.tracked[place], of: change.identity, hasConsent: change.hasConsent) { continue }
      status = .limit
      if case .assignment(let assignment) = change.tracked[place].content { data.forget(exposure: assignment.experimentID) }
    }
    return status
  }

  func environment(isUnique: Bool) -> VisitorEnvironment {
    let now = now
    return known.withLock { known in
      VisitorEnvironment(
        now: now, definitions: known.definitions, requiresConsent: known.requiresConsent, isStrict: settings.isStrictVendor,
        isUnique: isUnique)
    }
  }

  /// KAM-67: a visitor shares another one's data from now on; what it had before is gone, but for a refusal to consent.
  func link(_ code: [UInt8], to data: VisitorData) {
    linking.withLock {
      let (visitor, former) = people.link(code, to: data)
      if former === data { return }
      move(visitor, code, from: former, to: data)
      keepLink(code, to: data, isUnique: visitor?.isUnique ?? settings.isUniqueIdentifier)
      if former?.read({ content, _ in content.consent == .refused }) == true { takeRefusal(data) }
    }
  }

  private func keepLink(_ code: [UInt8], to data: VisitorData, isUnique: Bool) {
    storage.link(code, to: data.code, isUnique: isUnique) { [weak self] in self?.takeRefusal(data) }
  }

  private func takeRefusal(_ data: VisitorData) {
    guard data.takeRefusal() else { return }
    storage.changed(data)
    consentChanged(data)
  }

  /// The same, as an earlier run has left it.
  /// - Returns: what the visitor had before; nil for nothing.
  func follow(_ visitor: KameleoonVisitor, to data: VisitorData) -> VisitorData? {
    linking.withLock {
      let (_, former) = people.link(visitor.code, to: data)
      if former === data { return nil }
      move(visitor, visitor.code, from: former, to: data)
      return former
    }
  }

  /// With `linking` held. Data stored under the code moves to that of another visitor that shares it, or is removed.
  private func move(_ visitor: KameleoonVisitor?, _ code: [UInt8], from former: VisitorData?, to data: VisitorData) {
    if let former {
      if let visitor { former.leave(visitor) }
      if former.code == code {
        let other = people.id(sharing: former)
        former.keep(under: other ?? [])
        if other != nil { storage.changed(former) }
      }
    }
    guard let visitor else { return }
    visitor.replace(data: data)
    data.join(visitor)
  }

  /// On the store's lane: another client or process has changed a visitor's stored record.
  private func heard(_ data: VisitorData, _ news: KeptNews) {
    if news.isConsentChanged { consentChanged(data) }
    guard let owner = news.owner else { return }
    host.scheduler.post { [self] in
      for visitor in data.visitors where visitor.data === data { share(visitor, owner, linksLeft: 4) {} }
    }
  }

  // MARK: Life

  /// The first one says what waits means.
  func configurationChanged(_ snapshot: Snapshot) {
    let (definitions, requiresConsent) = (snapshot.customDataDefinitions, snapshot.requiresConsent)
    let isFirst = known.withLock { known in
      defer { known = (definitions, requiresConsent) }
      return known.definitions == nil
    }
    hasConfiguration.store(true, ordering: .releasing)
    hearRefusals()
    guard isFirst, let client = host.client else { return }
    for code in people.ids(where: { $0.read { $1.waitsForConfiguration } }) {
      guard let visitor = try? open(code, of: client, waits: false) else { continue }
      change(visitor) { $0.addAside() }
    }
  }

  func start() {
    own.start(self)
    hearRefusals()
  }

  func stop() {
    own.stop()
    storage.writeAll()
  }

  func abandonAfterFork() { own.abandonAfterFork() }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    storage.writeAll()
    completion(.accepted)
  }

  /// On any thread, also while a visitor goes.
  func closed(_ code: [UInt8]) {
    host.scheduler.post { [people, host] in people.closed(code, host.scheduler.generation) { $0.code == $1 } }
  }

  var statistics: [(group: String, name: String, value: Int64)] {
    storage.statistics + [("visitors", "open", Int64(people.handles.count))]
  }
}
