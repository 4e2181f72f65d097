public import HoistCore
internal import HoistBase

/// The observers of one environment's flags and connection (5.6; LD-30 to LD-37). Thread-safe.
///
/// Calls go to the delivery lane in the order of the updates. The observers of an update are fixed when it comes: later
/// registrations and removals do not affect queued calls, unless the owner itself has ended.
final class ChangeObservers: ClientPart, @unchecked Sendable {
  private struct Registration: Sendable {
    let owner: ObserverOwner
    let what: ObservedChanges
    let observer: any ChangeObserver
  }

  /// Registrations of one client; more are refused.
  private static let capacity = 100_000

  private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let registrations = LockedValue<[Registration]>([])

  /// - Parameter deliver: brings a call to the host, in order: `ProviderHost.onDeliveryLane`.
  init(deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.deliver = deliver }

  /// - Returns: `.state` when the owner has ended, `.limit` when there are too many.
  func add(_ observer: any ChangeObserver, of owner: ObserverOwner, for what: ObservedChanges) -> Status {
    guard owner.watch(self) else { return .state }
    let isAdded = registrations.withLock {
      guard $0.count < Self.capacity else { return false }
      $0.append(Registration(owner: owner, what: what, observer: observer))
      return true
    }
    guard isAdded else { return .limit }
    // One that ended meanwhile has removed its registrations already.
    if !owner.isAlive { remove(owner) }
    return .ok
  }

  /// Ends all of an owner's, of every kind (LD-35).
  func remove(_ owner: ObserverOwner) {
    // Released outside the lock: it may hold the last reference to a host object.
    withExtendedLifetime(take { $0.owner === owner }) {}
  }

  /// The client has closed: observers are registered anew for another beginning (5.9).
  func stop() {
    let gone = take { _ in true }
    // What the host runs when they go is not for this thread.
    if !gone.isEmpty { deliver { withExtendedLifetime(gone) {} } }
  }

  private func take(_ isTaken: (Registration) -> Bool) -> [Registration] {
    registrations.withLock { all in
      let gone = all.filter(isTaken)
      if !gone.isEmpty { all.removeAll(where: isTaken) }
      return gone
    }
  }

  var isEmpty: Bool { registrations.withLock { $0.isEmpty } }

  /// An update has been served; without changes the unchanged-observers are called (ruling A3).
  func updated(_ changes: [FlagChange]) {
    let byKey = Dictionary(changes.map { ($0.key.bytes, $0) }, uniquingKeysWith: { first, _ in first })
    for registration in registrations.withLock({ $0 }) {
      switch registration.what {
      case .flags(let keys): tell(registration, keys.compactMap { byKey[$0] })
      case .all: tell(registration, changes)
      case .unchanged: if changes.isEmpty { tell(registration) { observer in observer.unchanged() } }
      case .connectionMode: break
      }
    }
  }

  /// The connection's mode is another one than before (LD-34).
  func connectionModeChanged(_ mode: Int32) {
    for registration in registrations.withLock({ $0 }) {
      guard case .connectionMode = registration.what else { continue }
      tell(registration) { observer in observer.connectionModeChanged(mode) }
    }
  }

  private func tell(_ registration: Registration, _ changes: [FlagChange]) {
    if !changes.isEmpty { tell(registration) { observer in observer.changed(changes) } }
  }

  private func tell(_ registration: Registration, _ call: @escaping @Sendable (any ChangeObserver) -> Void) {
    deliver { if registration.owner.isAlive { call(registration.observer) } }
  }
}

/// How a flag has changed (LD-30): its values before and after, as JSON; nil where there is none.
public struct FlagChange: Sendable {
  public let key: CText
  public let oldValue: CText?
  public let newValue: CText?

  public init(key: String, oldValue: [UInt8]?, newValue: [UInt8]?) {
    self.key = CText(key)
    self.oldValue = oldValue.map { CText($0) }
    self.newValue = newValue.map { CText($0) }
  }
}

/// An observer of changes (5.6). Called on the delivery lane, one call at a time.
public protocol ChangeObserver: AnyObject, Sendable {
  /// Never empty.
  func changed(_ changes: [FlagChange])
  func unchanged()
  func connectionModeChanged(_ mode: Int32)
}

/// What an observer observes.
public enum ObservedChanges: Sendable {
  /// Flags of these keys, as bytes: a call per update, with those of them that changed. One flag is a list of one.
  case flags([[UInt8]])
  case all
  /// An update that changed nothing.
  case unchanged
  case connectionMode
}

/// The owner of observers (LD-35, LD-36): they all end with it, in every client. Thread-safe.
public final class ObserverOwner: Sendable {
  private struct State {
    var isGone = false
    var watched: [WeakObservers] = []
  }

  private struct WeakObservers: Sendable {
    weak var observers: ChangeObservers?
  }

  private let state = LockedValue(State())

  public init() {}

  /// Whether calls may still begin.
  var isAlive: Bool { !state.withLock { $0.isGone } }

  /// - Returns: false when the owner has gone.
  func watch(_ observers: ChangeObservers) -> Bool {
    state.withLock {
      guard !$0.isGone else { return false }
      $0.watched.removeAll { $0.observers == nil }
      if !$0.watched.contains(where: { $0.observers === observers }) { $0.watched.append(WeakObservers(observers: observers)) }
      return true
    }
  }

  /// From now on no call begins, not even one that is queued. One under way on another thread goes on and is not waited
  /// for, so that an observer may end its own owner.
  public func end() {
    let watched = state.withLock { state in
      defer { state.watched = [] }
      state.isGone = true
      return state.watched
    }
    for one in watched { one.observers?.remove(self) }
  }
}
