public import CShims
public import Synchronization

/// Where those find a client who may outlive it, such as visitors: until its host lets go of it by `dispose`, without
/// which no client goes that somebody may look for.
///
/// A weak reference would cost each of them a handful of shared writes.
public final class ClientLink: @unchecked Sendable {
  @usableFromInline let slot = Atomic<UnsafeMutableRawPointer?>(nil)

  func begin(_ client: Client) { slot.store(Unmanaged.passUnretained(client).toOpaque(), ordering: .releasing) }

  /// Nobody finds the client any more; whoever is in a reading section may still have it.
  func end() { slot.store(nil, ordering: .releasing) }

  /// Only inside a reading section, and valid as long as it.
  @inlinable @inline(__always)
  public var current: Unmanaged<Client>? { slot.load(ordering: .acquiring).map { Unmanaged.fromOpaque($0) } }

  /// The client, to be kept.
  public var held: Client? {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return current?.takeUnretainedValue()
  }
}

/// A client, and what its provider does for whoever has this, which may outlive both.
public struct ClientTie<Services: AnyObject>: @unchecked Sendable {
  @usableFromInline let link: ClientLink
  /// The client's, and as long as that.
  @usableFromInline let services: Unmanaged<Services>

  public init(_ client: Client, _ services: Services) {
    link = client.link
    self.services = Unmanaged.passUnretained(services)
  }

  /// The client, to be kept; nil when it is gone.
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
  /// - Parameter body: short, and waits for nobody.
  @inlinable @inline(__always)
  public func read<Result>(_ body: (Client, Services) -> Result) -> Result? {
    let reading = shim_enter()
    if let client = link.current, client._withUnsafeGuaranteedRef({ $0.isStale }) {
      shim_leave(reading)
      // What the parent left ends in there, which may be the host's: not in a section, and not with a client that is lent.
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
