public import HoistCore
internal import HoistBase
internal import Synchronization

/// Called on the client's delivery lane or in manual dispatch, one call at a time.
public protocol OptimizelyObserver: AnyObject, Sendable {
  /// - Parameter json: valid as long as it is held.
  func notify(_ kind: NotificationKind, _ json: CText)
}

/// The observers of one client's notifications (`OPT-69`, protocols/optimizely.md 5.5). Thread-safe.
public final class NotificationCenter: @unchecked Sendable {
  public static let maximumObservers = 1_000

  private struct Registration: Sendable {
    let kind: NotificationKind
    let observer: any OptimizelyObserver
  }

  /// Held while a registration begins or ends, and while that is noted.
  private let lock = Lock()
  private let registrations = Registrations<Registration>(capacity: maximumObservers)
  /// The kinds that are observed: read by every decision.
  private let observed = Atomic<UInt32>(0)
  private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void

  convenience init(host: any ProviderHost) { self.init { host.onDeliveryLane($0) } }

  /// - Parameter deliver: brings a call to the host, in order.
  public init(deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.deliver = deliver }

  /// - Returns: a token for `Client.unobserve`; 0 when there is no room.
  public func add(_ kind: NotificationKind, _ observer: any OptimizelyObserver) -> UInt64 {
    changing { registrations.add(Registration(kind: kind, observer: observer)) }
  }

  func remove(_ token: UInt64) -> Bool { changing { registrations.take(token) } != nil }

  /// - Parameter kind: nil for all.
  func removeAll(_ kind: NotificationKind? = nil) {
    _ = changing { registrations.takeAll { kind == nil || $0.kind == kind } }
  }

  /// What ends is let go of by the caller, outside the lock: that may be host code.
  private func changing<Result>(_ body: () -> Result) -> Result {
    lock.withLock {
      let result = body()
      let kinds = registrations.elements.reduce(into: NotificationKinds()) { $0.formUnion(NotificationKinds($1.kind)) }
      observed.store(kinds.rawValue, ordering: .releasing)
      return result
    }
  }

  /// The kinds that are observed.
  @inline(__always)
  public var wanted: NotificationKinds { NotificationKinds(rawValue: observed.load(ordering: .acquiring)) }

  /// Notifies all observers of the kind; without any, the JSON is not made.
  public func post(_ kind: NotificationKind, _ json: () -> [UInt8]) {
    guard wanted.contains(NotificationKinds(kind)) else { return }
    post(OptimizelyNews(kind, json()))
  }

  public func post(_ news: OptimizelyNews) {
    guard wanted.contains(NotificationKinds(news.kind)) else { return }
    let text = CText(news.json)
    registrations.tell(through: deliver) { registration in
      guard registration.kind == news.kind else { return nil }
      return { registration.observer.notify(news.kind, text) }
    }
  }
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
