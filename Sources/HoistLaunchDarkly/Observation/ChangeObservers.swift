public import HoistCore
internal import HoistBase

/// The observers of one environment's flags and connection (5.6; LD-30 to LD-37). Thread-safe.
///
/// Calls go to the delivery lane in the order of the updates. The observers of an update are fixed when it comes; none that
/// has ended is called any more.
final class ChangeObservers: Sendable {
  private struct Registration: Sendable {
    let what: ObservedChanges
    let observer: any ChangeObserver
  }

  private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let registrations = Registrations<Registration>(capacity: 100_000)

  /// - Parameter deliver: brings a call to the host, in order: `ProviderHost.onDeliveryLane`.
  init(deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.deliver = deliver }

  /// - Returns: a token for `Client.unobserve`; 0 when there are too many.
  func add(_ observer: any ChangeObserver, for what: ObservedChanges) -> UInt64 {
    registrations.add(Registration(what: what, observer: observer))
  }

  func remove(_ token: UInt64) -> Bool { registrations.remove(token) }
  func removeAll() { registrations.takeAll() }

  /// An update has been served; without changes the unchanged-observers are called (ruling A3).
  func updated(_ changes: [FlagChange]) {
    let byKey = Dictionary(changes.map { ($0.key.bytes, $0) }, uniquingKeysWith: { first, _ in first })
    registrations.tell(through: deliver) { registration in
      let observer = registration.observer
      switch registration.what {
      case .flags(let keys): return Self.call(observer, keys.compactMap { byKey[$0] })
      case .all: return Self.call(observer, changes)
      case .unchanged: return changes.isEmpty ? { @Sendable in observer.unchanged() } : nil
      case .connectionMode, .rules, .value, .store: return nil
      }
    }
  }

  /// Rules have changed: the flags of these keys may have other values than before (server 11.1; LDS-62).
  func rulesChanged(_ keys: [String]) {
    guard !keys.isEmpty, registrations.contains(where: { $0.what.isOfRules }) else { return }
    let (texts, changed) = (keys.map { CText($0) }, Set(keys.map { Array($0.utf8) }))
    registrations.tell(through: deliver) { registration in
      let observer = registration.observer
      switch registration.what {
      case .rules: return { @Sendable in observer.rulesChanged(texts) }
      case .value(let watched): return changed.contains(watched.key) ? { @Sendable in watched.tell(observer) } : nil
      case .flags, .all, .unchanged, .connectionMode, .store: return nil
      }
    }
  }

  /// The connection's mode is another one than before (LD-34).
  func connectionModeChanged(_ mode: Int32) {
    registrations.tell(through: deliver) { registration in
      guard case .connectionMode = registration.what else { return nil }
      return { registration.observer.connectionModeChanged(mode) }
    }
  }

  /// More or less is known of a store (LDS-63, LDS-64).
  func changed(_ store: ObservedStore, _ status: StoreStatus) {
    registrations.tell(through: deliver) { registration in
      guard case .store(store) = registration.what else { return nil }
      return { registration.observer.changed(store, status) }
    }
  }

  private static func call(_ observer: any ChangeObserver, _ changes: [FlagChange]) -> (@Sendable () -> Void)? {
    changes.isEmpty ? nil : { @Sendable in observer.changed(changes) }
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
  /// - Parameter keys: never empty.
  func rulesChanged(_ keys: [CText])
  func changed(_ store: ObservedStore, _ status: StoreStatus)
}

extension ChangeObserver {
  public func rulesChanged(_ keys: [CText]) {}
  public func changed(_ store: ObservedStore, _ status: StoreStatus) {}
}

/// A store of the host's.
public enum ObservedStore: Sendable { case rules, bigSegments }

/// What is known of one.
public struct StoreStatus: Sendable, Equatable {
  public var isAvailable: Bool
  public var isStale: Bool
}

/// What an observer observes.
public enum ObservedChanges: Sendable {
  /// Flags of these keys, as bytes: a call per update, with those of them that changed. One flag is a list of one.
  case flags([[UInt8]])
  case all
  /// An update that changed nothing.
  case unchanged
  case connectionMode
  /// In mode server: flags that may have other values than before, for any context.
  case rules
  /// In mode server: a flag's value for one context.
  case value(WatchedValue)
  /// In mode server: what is known of a store.
  case store(ObservedStore)

  fileprivate var isOfRules: Bool {
    switch self {
    case .rules, .value: true
    case .flags, .all, .unchanged, .connectionMode, .store: false
    }
  }
}
