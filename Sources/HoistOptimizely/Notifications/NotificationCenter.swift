internal import HoistBase
public import HoistCore
internal import Synchronization

/// Somebody who listens. Called on the client's delivery lane or in manual dispatch, one call at a time.
public protocol OptimizelyListener: AnyObject, Sendable {
  /// - Parameter json: valid as long as it is held.
  func notify(_ kind: NotificationKind, _ json: CText)
}

/// The listeners of one client (`OPT-69`, protocols/optimizely.md 5.5). Thread-safe.
public final class NotificationCenter: OptimizelyPart, @unchecked Sendable {
  public static let maximumListeners = 1_000

  private struct Registration {
    let id: Int32
    let kind: NotificationKind
    let listener: any OptimizelyListener
  }

  private let lock = Lock()
  private var registrations: [Registration] = []
  private var lastID: Int32 = 0
  /// The kinds that somebody listens to: read by every decision.
  private let listened = Atomic<UInt32>(0)
  private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void

  convenience init(host: any ProviderHost) { self.init { host.onDeliveryLane($0) } }

  /// - Parameter deliver: brings a call to the host, in order.
  public init(deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.deliver = deliver }

  /// - Returns: 1, 2, 3…; 0 when there is no room.
  public func add(_ kind: NotificationKind, _ listener: any OptimizelyListener) -> Int32 {
    lock.withLock {
      guard registrations.count < Self.maximumListeners, lastID < .max else { return 0 }
      lastID += 1
      registrations.append(Registration(id: lastID, kind: kind, listener: listener))
      noteListened()
      return lastID
    }
  }

  /// No call begins for the listener after this returns.
  /// - Returns: whether it was there.
  public func remove(_ id: Int32) -> Bool { drop { $0.id == id } > 0 }

  /// - Parameter kind: nil for all.
  public func clear(_ kind: NotificationKind?) { _ = drop { kind == nil || $0.kind == kind } }

  private func drop(_ isMeant: (Registration) -> Bool) -> Int {
    // Let go of outside the lock: a listener's end may be host code.
    let gone = lock.withLock {
      let gone = registrations.filter(isMeant)
      registrations.removeAll(where: isMeant)
      noteListened()
      return gone
    }
    return withExtendedLifetime(gone) { gone.count }
  }

  private func noteListened() {
    let kinds = registrations.reduce(into: NotificationKinds()) { $0.formUnion(NotificationKinds($1.kind)) }
    listened.store(kinds.rawValue, ordering: .releasing)
  }

  /// The kinds that are worth a payload.
  @inline(__always)
  public var wanted: NotificationKinds { NotificationKinds(rawValue: listened.load(ordering: .acquiring)) }

  /// Tells everybody who listens to the kind; without anybody nothing is made.
  public func post(_ kind: NotificationKind, _ json: () -> [UInt8]) {
    guard wanted.contains(NotificationKinds(kind)) else { return }
    post(OptimizelyNews(kind, json()))
  }

  public func post(_ news: OptimizelyNews) {
    let told = lock.withLock { registrations.filter { $0.kind == news.kind } }
    guard !told.isEmpty else { return }
    let text = CText(news.json)
    for registration in told {
      deliver { [weak self] in
        guard let self, self.isRegistered(registration.id) else { return }
        registration.listener.notify(news.kind, text)
      }
    }
  }

  private func isRegistered(_ id: Int32) -> Bool { lock.withLock { registrations.contains { $0.id == id } } }
}
