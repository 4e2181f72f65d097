public import HoistCore
internal import HoistBase
internal import Synchronization

/// Called on the client's delivery lane or in manual dispatch, one call at a time.
public protocol OptimizelyListener: AnyObject, Sendable {
  /// - Parameter json: valid as long as it is held.
  func notify(_ kind: NotificationKind, _ json: CText)
}

/// The listeners of one client (`OPT-69`, protocols/optimizely.md 5.5). Thread-safe.
public final class NotificationCenter: ClientPart, @unchecked Sendable {
  public static let maximumListeners = 1_000

  private struct Registration {
    let id: Int32
    let kind: NotificationKind
    let listener: any OptimizelyListener
  }

  private let lock = Lock()
  private var registrations: [Registration] = []
  private var lastID: Int32 = 0
  /// The kinds with a listener: read by every decision.
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

  /// The kinds with a listener.
  @inline(__always)
  public var wanted: NotificationKinds { NotificationKinds(rawValue: listened.load(ordering: .acquiring)) }

  /// Notifies all listeners of the kind; without any, the JSON is not made.
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

/// The kinds of notifications (`OPT-69`); the numbers of `hoist_optimizely_notification_kind`.
public enum NotificationKind: Int32, Sendable, CaseIterable {
  case activate = 1
  case track, datafileChange, decision, logEvent
}

/// Some of the kinds.
public struct NotificationKinds: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public init(_ kind: NotificationKind) { rawValue = 1 << UInt32(kind.rawValue) }

  public static var activate: NotificationKinds { NotificationKinds(.activate) }
  public static var track: NotificationKinds { NotificationKinds(.track) }
  public static var decision: NotificationKinds { NotificationKinds(.decision) }
}

/// A piece of news with its payload.
public struct OptimizelyNews: Sendable, Equatable {
  public var kind: NotificationKind
  /// JSON, as the header says for each kind.
  public var json: [UInt8]

  public init(_ kind: NotificationKind, _ json: [UInt8]) {
    self.kind = kind
    self.json = json
  }
}
