internal import HoistBase

/// A host's own cache of visitors (FS-100, FS-102 to FS-104; protocols/flagship.md 6.1). Called on a lane, one call at a
/// time; one that does not return is set aside.
public protocol VisitorCache: AnyObject, Sendable {
  /// - Parameter json: the record, complete.
  func cache(_ visitorID: [UInt8], _ json: [UInt8])
  /// Answers during the call or later, on any thread.
  func lookUp(_ visitorID: [UInt8], _ question: VisitorLookUp)
  func flush(_ visitorID: [UInt8])
}

/// A look-up that waits for its answer: the first one counts. Thread-safe.
public final class VisitorLookUp: Sendable {
  private struct State: Sendable {
    var completion: (@Sendable (_ record: [UInt8]?, _ isLate: Bool) -> Void)?
    var ends: [@Sendable () -> Void] = []
  }

  private let state: Shared<State>

  init(_ completion: @escaping @Sendable (_ record: [UInt8]?, _ isLate: Bool) -> Void) {
    state = Shared(State(completion: completion))
  }

  /// - Parameter record: nil when nothing is kept.
  /// - Returns: false when nobody waits any more.
  @discardableResult
  public func reply(_ record: [UInt8]?) -> Bool { end(record, isLate: false) }

  func giveUp() { _ = end(nil, isLate: true) }

  private func end(_ record: [UInt8]?, isLate: Bool) -> Bool {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    guard let completion = ended.completion else { return false }
    completion(record, isLate)
    for end in ended.ends { end() }
    return true
  }

  /// Runs `body` once nobody waits any more; at once when that is so.
  public func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.completion != nil { state.ends.append(body) }
      return state.completion == nil
    }
    if isOver { body() }
  }
}

/// Names of Flagship's own kinds of plug-ins in `Plugins.vendor`.
public enum FlagshipPlugins {
  /// A `VisitorCache`.
  public static let visitorCache = "flagship.visitor_cache"
  /// A `HitCacheDelegate`.
  public static let hitCache = "flagship.hit_cache"
  /// An `ExposureObserver`.
  public static let exposureObserver = "flagship.exposure_observer"
}
