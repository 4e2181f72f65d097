internal import HoistBase
internal import Synchronization

/// Names registrations of every kind: no two of the process have the same token, so that one call ends any of them.
enum RegistrationToken {
  private static let last = Atomic<UInt64>(0)

  /// Never 0; each is above those before it.
  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// What a host has registered with one client beside the observers of topics: in a service's own words. Thread-safe.
public final class Registrations<Element: Sendable>: @unchecked Sendable {
  private struct Entry {
    let token: UInt64
    let element: Element
  }

  private let capacity: Int
  private let lock = Lock()
  /// In the order of their tokens.
  private var entries: [Entry] = []

  public init(capacity: Int) { self.capacity = capacity }

  /// - Returns: a token for `Client.unobserve`; 0 when there is no room.
  public func add(_ element: Element) -> UInt64 {
    lock.withLock {
      guard entries.count < capacity else { return 0 }
      // Within the lock, for their order.
      entries.append(Entry(token: RegistrationToken.next(), element: element))
      return entries.last?.token ?? 0
    }
  }

  /// No call begins for it after this returns.
  /// - Returns: false for a token that is not in use.
  public func remove(_ token: UInt64) -> Bool { take(token) != nil }

  /// `remove`, for a caller who lets go of it later.
  public func take(_ token: UInt64) -> Element? { lock.withLock { index(of: token).map { entries.remove(at: $0).element } } }

  /// Ends those that are meant.
  /// - Returns: what the caller lets go of, with no lock held: its end may be host code.
  @discardableResult
  public func takeAll(where isMeant: (Element) -> Bool = { _ in true }) -> [Element] {
    lock.withLock {
      let gone = entries.filter { isMeant($0.element) }
      if !gone.isEmpty { entries.removeAll { isMeant($0.element) } }
      return gone.map(\.element)
    }
  }

  public var elements: [Element] { lock.withLock { entries.map(\.element) } }

  /// - Parameter isMeant: called with a lock held.
  public func contains(where isMeant: (Element) -> Bool) -> Bool { lock.withLock { entries.contains { isMeant($0.element) } } }

  /// Makes a call for each, in their order, unless it has ended by the time.
  /// - Parameters:
  ///   - deliver: brings calls to the host: `ProviderHost.onDeliveryLane`.
  ///   - call: what to do for one of them; nil for nothing.
  public func tell(
    through deliver: (@escaping @Sendable () -> Void) -> Void, _ call: (Element) -> (@Sendable () -> Void)?
  ) {
    for entry in lock.withLock({ entries }) {
      guard let call = call(entry.element) else { continue }
      deliver { [weak self, token = entry.token] in if self?.isInUse(token) == true { call() } }
    }
  }

  private func isInUse(_ token: UInt64) -> Bool { lock.withLock { index(of: token) != nil } }

  /// With the lock held.
  private func index(of token: UInt64) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].token < token { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].token == token ? low : nil
  }
}
