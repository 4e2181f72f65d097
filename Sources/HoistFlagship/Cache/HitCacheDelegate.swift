internal import HoistBase
internal import HoistCore

/// A cache of hits of the host's own (FS-105 to FS-108). Called on a lane of its own, one call at a time; a call that
/// does not return in time is set aside.
///
/// Hits are JSON texts of the form of protocols/flagship.md 6.2: an object with a record for each id.
public protocol HitCacheDelegate: AnyObject, Sendable {
  /// Keeps hits until they are flushed, in place of those of the same ids.
  /// - Returns: false when it failed; it is asked again.
  func cacheHits(_ hits: [UInt8]) -> Bool
  /// Answers with all hits that are kept, during the call or later, on any thread.
  func lookUpHits(_ question: HitLookUp)
  /// - Returns: false when it failed; it is asked again.
  func flushHits(_ ids: [[UInt8]]) -> Bool
  /// Forgets everything, without exception.
  func flushAllHits() -> Bool
}

/// A look-up that waits for its answer: the first one counts. Thread-safe.
public final class HitLookUp: Sendable {
  enum Reply: Sendable {
    case found([UInt8])
    case nothing
    case failed
  }

  private struct State: Sendable {
    var isOver = false
    var ends: [@Sendable () -> Void] = []
  }

  private let answer = Answer<Reply>()
  private let state = Shared(State())

  init() {}

  /// - Parameter hits: nil when nothing is kept.
  /// - Returns: false when nobody waits any more.
  @discardableResult
  public func reply(_ hits: [UInt8]?) -> Bool { end(hits.map { .found($0) } ?? .nothing) }

  /// - Returns: false when nobody waits any more.
  @discardableResult
  public func fail() -> Bool { end(.failed) }

  private func end(_ reply: Reply?) -> Bool {
    let (isFirst, ends) = state.withLock { state in
      defer { state = State(isOver: true) }
      return (!state.isOver, state.ends)
    }
    if isFirst, let reply { answer.give(reply) }
    for end in ends { end() }
    return isFirst
  }

  /// Runs `body` once nobody waits any more; at once when that is so.
  public func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.ends.append(body) }
      return state.isOver
    }
    if isOver { body() }
  }

  /// nil when the deadline passed first; what comes later is not heard.
  func wait(untilNanoseconds deadline: Int64) -> Reply? {
    let reply = answer.wait(untilNanoseconds: deadline)
    _ = end(nil)
    return reply
  }
}
