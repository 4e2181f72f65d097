internal import HoistBase

/// Clients that the whole process finds by a name. Thread-safe.
///
/// One whose handle was lent to the host stays in memory, closed at the end, for as long as the process lives: which
/// threads still use it cannot be known.
public final class SharedClients: Sendable {
  public static let process = SharedClients()
  private static let longestName = 255

  private struct State {
    var named: [[UInt8]: Client] = [:]
    /// The first of each group.
    var lent: [Client] = []

    /// The host may have the client's handle from now on.
    mutating func lend(_ client: Client) {
      if !lent.contains(where: { $0 === client.lead }) { lent.append(client.lead) }
    }

    /// Takes every name from a client that ends for good, with its environments.
    /// - Returns: whether it may go: false when it was lent, or ends already.
    mutating func end(_ client: Client) -> Bool {
      let lead = client.lead
      named = named.filter { $0.value.lead !== lead }
      let isFirst = lead.life.end()
      return isFirst && !lent.contains { $0 === lead }
    }
  }

  private let state = LockedValue(State())

  public init() {}

  /// Whether a host may give it: 1 to 255 bytes. Those with a "/" are the services'.
  private static func isHosts(_ name: [UInt8]) -> Bool {
    (1...longestName).contains(name.count) && !name.contains(UInt8(ascii: "/"))
  }

  /// A host gives a client a name, in place of the one that has it, which goes on without.
  /// - Returns: `.argument` for a name that is not a host's, `.state` for a client that has ended for good.
  public func share(_ client: Client, as name: [UInt8]) -> Status {
    guard Self.isHosts(name) else { return .argument }
    return state.withLock { state in
      if client.lead.life.hasEnded { return .state }
      state.named[name] = client
      return .ok
    }
  }

  /// A service gives a client a name, unless another one has it.
  /// - Returns: the one that has it now.
  public func share(_ client: Client, asFirst name: [UInt8]) -> Client {
    state.withLock { state in
      if let first = state.named[name] { return first }
      state.named[name] = client
      return client
    }
  }

  /// A host takes a name back.
  /// - Returns: `.argument` for a name that is not a host's, `.notFound` when no client has it.
  public func unshare(_ name: [UInt8]) -> Status {
    guard Self.isHosts(name) else { return .argument }
    return state.withLock { $0.named.removeValue(forKey: name) } == nil ? .notFound : .ok
  }

  /// The client of a name, closed or not; nil when there is none.
  public func client(named name: [UInt8]) -> Client? { state.withLock { $0.named[name] } }

  /// The same for a host, which has its handle from now on; nil also for a closed one.
  public func lend(named name: [UInt8]) -> Client? {
    state.withLock { state in
      guard let client = state.named[name], !client.isClosed else { return nil }
      state.lend(client)
      return client
    }
  }

  /// For a host that gets the handle of a client otherwise than by its name: a client without a name belongs to
  /// the caller that opened it.
  /// - Returns: false for one that ends, and goes.
  public func lend(_ client: Client) -> Bool {
    state.withLock { state in
      if state.lent.contains(where: { $0 === client.lead }) { return true }
      if client.lead.life.hasEnded { return false }
      if state.named.values.contains(where: { $0.lead === client.lead }) { state.lend(client) }
      return true
    }
  }

  /// Closes the client of a name, for good; it has none afterwards.
  /// - Returns: nil when there is none.
  public func close(_ name: [UInt8], timeoutMilliseconds: Int64) -> Status? {
    guard let (client, mayGo) = state.withLock({ state in state.named[name].map { ($0, state.end($0)) } }) else { return nil }
    let status = client.close(timeoutMilliseconds: timeoutMilliseconds)
    if mayGo { client.dispose() }
    return status
  }

  /// Ends a client that its owner frees, without waiting.
  /// - Returns: false when it has to stay in memory.
  public func free(_ client: Client) -> Bool {
    let mayGo = state.withLock { $0.end(client) }
    if mayGo { client.dispose() } else { client.retire() }
    return mayGo
  }
}
