public import CShims
public import Synchronization

/// The unowned reference by which objects that may outlive a client, such as visitors, find it. It ends with `dispose`;
/// no client that may still be looked for is freed before that.
/// A weak reference would cost each of them a handful of shared writes.
public final class ClientReference: @unchecked Sendable {
  @usableFromInline let slot = Atomic<UnsafeMutableRawPointer?>(nil)

  func begin(_ client: Client) { slot.store(Unmanaged.passUnretained(client).toOpaque(), ordering: .releasing) }

  /// The client is not found any more; a reading section may still hold it.
  func end() { slot.store(nil, ordering: .releasing) }

  /// Only inside a reading section, and valid as long as it.
  @inlinable @inline(__always)
  public var current: Unmanaged<Client>? { slot.load(ordering: .acquiring).map { Unmanaged.fromOpaque($0) } }

  /// An owned reference to the client.
  public var held: Client? {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return current?.takeUnretainedValue()
  }
}

/// An unowned reference to a client and to its provider's services. May outlive both.
public struct UnownedClient<Services: AnyObject>: @unchecked Sendable {
  @usableFromInline let link: ClientReference
  /// The client's, and as long as that.
  @usableFromInline let services: Unmanaged<Services>

  public init(_ client: Client, _ services: Services) {
    link = client.link
    self.services = Unmanaged.passUnretained(services)
  }

  /// An owned reference to the client; nil when it is gone.
  public var client: Client? { link.held }

  /// Runs `body` with a client that still is, and is not a stale copy in a forked child.
  /// - Returns: nil when the client is gone.
  @inlinable @inline(__always)
  public func withClient<Result>(_ body: (Client, Services) -> Result) -> Result? {
    guard let client = link.held else { return nil }
    if client.isStale { client.resumeAfterFork() }
    return withExtendedLifetime(client) { services._withUnsafeGuaranteedRef { body(client, $0) } }
  }

  /// The same without a shared write, in a reading section.
  /// - Parameter body: short, and never waits.
  @inlinable @inline(__always)
  public func read<Result>(_ body: (Client, Services) -> Result) -> Result? {
    let reading = shim_enter()
    if let client = link.current, client._withUnsafeGuaranteedRef({ $0.isStale }) {
      shim_leave(reading)
      // Objects left by the parent may be freed in there, host objects among them: not in a reading section, and not
      // with a borrowed client.
      return withClient(body)
    }
    defer { shim_leave(reading) }
    return link.current?._withUnsafeGuaranteedRef { client in services._withUnsafeGuaranteedRef { body(client, $0) } }
  }
}

extension Client {
  /// A copy in a forked child that has not begun anew.
  @inlinable @inline(__always)
  var isStale: Bool { shim_load_u32(&hot.pointee.gate) & SHIM_GATE_FORKED != 0 }
}
