internal import HoistBase
internal import HoistCore

/// Who is told of changes of one environment's flags and connection (5.6; LD-30 to LD-37). Thread-safe.
///
/// Calls go to the delivery lane in the order of the updates. Who is called is settled when the update comes:
/// registrations that come or end later change nothing about calls that are queued, unless the owner itself has ended.
final class ChangeObservers: LaunchDarklyPart, @unchecked Sendable {
  private struct Registration: Sendable {
    let owner: ObserverOwner
    let what: ObservedChanges
    let observer: any ChangeObserver
  }

  /// Registrations of one client; more are refused.
  private static let capacity = 100_000

  private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let registrations = Shared<[Registration]>([])

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
    // One that ended meanwhile has looked for its registrations already.
    if !owner.isAlive { remove(owner) }
    return .ok
  }

  /// Ends all of an owner's, of every kind (LD-35).
  func remove(_ owner: ObserverOwner) {
    // Let go of outside the lock: it may hold the last reference to something of the host's.
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

  /// An update has been served; without changes the unchanged-observers are told (ruling A3).
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
