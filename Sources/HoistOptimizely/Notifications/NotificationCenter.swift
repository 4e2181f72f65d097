internal import HoistBase
internal import HoistCore
internal import Synchronization

/// What listeners can be told of; the numbers are the vendor's (protocols/optimizely.md 5.5).
enum NotificationKind: Int32, Sendable, CaseIterable {
  case activate = 1
  case track, datafileChange, decision, logEvent
}

/// Tells listeners what happens (OPT-69). Thread-safe.
final class NotificationCenter: ClientPart, @unchecked Sendable {
  typealias Listener = @Sendable (_ kind: NotificationKind, _ json: [UInt8]) -> Void

  private let host: any ProviderHost
  private let lock = Lock()
  /// Guarded by `lock`.
  private var listeners: [(id: Int32, kind: NotificationKind, listener: Listener)] = []
  private var lastID: Int32 = 0
  /// A bit for each kind that somebody listens to.
  private let heard = Atomic<UInt32>(0)

  init(host: any ProviderHost) { self.host = host }

  /// - Returns: 1, 2, 3 and so on.
  func add(_ kind: NotificationKind, _ listener: @escaping Listener) -> Int32 {
    lock.withLock {
      lastID &+= 1
      listeners.append((lastID, kind, listener))
      noteHeard()
      return lastID
    }
  }

  /// - Returns: false for an id that is not in use.
  func remove(_ id: Int32) -> Bool { removeAll { $0.id == id } > 0 }

  /// - Parameter kind: nil for all.
  func clear(_ kind: NotificationKind?) { _ = removeAll { kind == nil || $0.kind == kind } }

  private func removeAll(where isGone: ((id: Int32, kind: NotificationKind, listener: Listener)) -> Bool) -> Int {
    // Let go of outside the lock: a listener's end may be host code.
    let gone = lock.withLock {
      let gone = listeners.filter(isGone)
      listeners.removeAll(where: isGone)
      noteHeard()
      return gone
    }
    return gone.count
  }

  private func noteHeard() {
    heard.store(listeners.reduce(0) { $0 | 1 << UInt32($1.kind.rawValue) }, ordering: .relaxed)
  }

  func isHeard(_ kind: NotificationKind) -> Bool { heard.load(ordering: .relaxed) & 1 << UInt32(kind.rawValue) != 0 }

  /// Costs one load when nobody listens; `json` is made only then. Listeners run on a lane of the client's.
  func post(_ kind: NotificationKind, _ json: () -> [UInt8]) {
    guard isHeard(kind) else { return }
    let text = json()
    for listener in lock.withLock({ listeners.filter { $0.kind == kind }.map(\.listener) }) {
      host.onPluginLane { listener(kind, text) }
    }
  }
}
