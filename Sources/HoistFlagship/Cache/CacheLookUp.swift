internal import HoistBase

/// A look-up in a host's cache that waits for its answer: the first one counts. Thread-safe.
public final class CacheLookUp: Sendable {
  enum Reply: Sendable {
    case found([UInt8])
    case nothing
    case failed
    /// Given up before anybody has answered.
    case late
  }

  private struct State: Sendable {
    var completion: (@Sendable (Reply) -> Void)?
    var ends: [@Sendable () -> Void] = []
  }

  private let state: LockedValue<State>

  init(_ completion: @escaping @Sendable (Reply) -> Void) { state = LockedValue(State(completion: completion)) }

  /// - Parameter bytes: nil when nothing is kept.
  /// - Returns: false when the look-up has ended already.
  @discardableResult
  public func reply(_ bytes: [UInt8]?) -> Bool { end(bytes.map { .found($0) } ?? .nothing) }

  /// - Returns: false when the look-up has ended already.
  @discardableResult
  public func fail() -> Bool { end(.failed) }

  func giveUp() { _ = end(.late) }

  private func end(_ reply: Reply) -> Bool {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    guard let completion = ended.completion else { return false }
    completion(reply)
    for end in ended.ends { end() }
    return true
  }

  /// Runs `body` once the look-up has ended; at once when it has.
  public func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.completion != nil { state.ends.append(body) }
      return state.completion == nil
    }
    if isOver { body() }
  }
}
