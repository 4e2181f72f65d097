internal import HoistBase

/// Clients that the whole process finds by a name. Thread-safe.
///
/// One whose handle was lent to the host stays in memory, closed at the end, for as long as the process lives: which
/// threads still use it cannot be known.
public final class SharedClients: Sendable {
  public static let process = SharedClients()
  /// Of a name, in bytes.
  public static let longestName = 255

  private struct State {
    var named: [[UInt8]: Client] = [:]
    /// The first of each group.
    var lent: [Client] = []

    /// The host may have the client's handle from now on.
    mutating func lend(_ client: Client) {
      if !lent.contains(where: { $0 === client.lead }) { lent.append(client.lead) }
    }

    /// Takes every name from a client that ends, with its environments.
    /// - Returns: whether it may go: false when it was lent, belongs to the host, or ends already.
    mutating func end(_ client: Client, byOwner: Bool = false) -> Bool {
      let lead = client.lead
      named = named.filter { $0.value.lead !== lead }
      if lead.isEnding || (lead.isHosts && !byOwner) || lent.contains(where: { $0 === lead }) { return false }
      lead.isEnding = true
      return true
    }
  }

  private let state = LockedValue(State())

  public init() {}

  /// Gives a client a name, in place of the one that has it.
  /// - Returns: that one, which goes on without.
  @discardableResult
  public func share(_ client: Client, as name: [UInt8]) -> Client? {
    state.withLock { $0.named.updateValue(client, forKey: name) }
  }

  /// Gives a client a name unless another one has it.
  /// - Returns: the one that has it now.
  public func share(_ client: Client, asFirst name: [UInt8]) -> Client {
    state.withLock { state in
      if let first = state.named[name] { return first }
      state.named[name] = client
      return client
    }
  }

  /// - Returns: the client that had the name; nil when there is none.
  public func unshare(_ name: [UInt8]) -> Client? { state.withLock { $0.named.removeValue(forKey: name) } }

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
      if client.lead.isEnding { return false }
      if state.named.values.contains(where: { $0.lead === client.lead }) { state.lend(client) }
      return true
    }
  }

  /// Closes the client of a name, which has none afterwards.
  /// - Returns: nil when there is none.
  public func close(_ name: [UInt8], timeoutMilliseconds: Int64) -> Status? {
    let found = state.withLock { state in state.named[name].map { ($0, state.end($0)) } }
    return found.map { Self.close($0, timeoutMilliseconds, disposes: $1) }
  }

  /// Closes a client whose name another one has.
  public func close(_ client: Client, timeoutMilliseconds: Int64) {
    _ = Self.close(client, timeoutMilliseconds, disposes: state.withLock { $0.end(client) })
  }

  private static func close(_ client: Client, _ limit: Int64, disposes: Bool) -> Status {
    let status = client.close(timeoutMilliseconds: limit)
    if disposes { client.dispose() }
    return status
  }

  /// Ends a client that its owner frees, without waiting.
  /// - Returns: false when it has to stay in memory.
  public func free(_ client: Client) -> Bool {
    let mayGo = state.withLock { $0.end(client, byOwner: true) }
    if mayGo { client.dispose() } else { client.retire() }
    return mayGo
  }
}
