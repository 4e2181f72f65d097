internal import HoistBase
internal import Synchronization

/// The stored data of a person, or of a shard of people, which other clients and processes may change at the same time.
/// Thread-safe.
public protocol SubjectRecord: AnyObject, Sendable {
  var mark: WriteMark { get }
  /// The key it is stored under; nil while it is not to be stored.
  var storeKey: String? { get }
  /// The value to store under `key`: the stored one with the changes made here since `wasKept`; nil for none. On the
  /// store's lane; called again when another writer was faster, and the last call counts.
  func merge(into kept: [UInt8]?, under key: String) -> [UInt8]?
  /// Whether that makes it a refusal, of which others are told.
  var isNewRefusal: Bool { get }
  /// The changes made here since `wasKept`, to be put behind the stored value: asked before `merge`, likewise. nil where the
  /// whole has to be written.
  func addition(under key: String) -> CacheAddition?
  /// The result of the last merge is stored, with the changes by others in it, or the addition is. On the store's lane, before
  /// the next merge.
  func wasKept()
}

extension SubjectRecord {
  public var isNewRefusal: Bool { false }
  public func addition(under key: String) -> CacheAddition? { nil }
}

/// Whether a record waits to be written. Thread-safe.
public final class WriteMark: Sendable {
  private enum Stage: UInt64 {
    case idle, waiting, writing
    /// And changed since that began: it has to be written once more.
    case stale
  }

  /// A stage, and the fork generation that it holds in: work begun by the parent does not continue in a child.
  private let state = Atomic<UInt64>(0)

  public init() {}

  /// The record has changed.
  /// - Returns: whether it has to be put among those that wait.
  func noteChange(_ generation: UInt32) -> Bool {
    advance(generation) { $0 == .idle || $0 == .waiting ? .waiting : .stale } == .idle
  }

  /// Whether the record waits, and has not begun to be written.
  public func isWaiting(_ generation: UInt32) -> Bool { stage(state.load(ordering: .acquiring), generation) == .waiting }

  /// Whether everything that was changed is written.
  public func isSettled(_ generation: UInt32) -> Bool { stage(state.load(ordering: .acquiring), generation) == .idle }

  /// - Returns: false when there is nothing to write, or it is being written.
  func beginWriting(_ generation: UInt32) -> Bool { advance(generation) { $0 == .waiting ? .writing : $0 } == .waiting }

  /// - Returns: whether it has to be written once more.
  func endWriting(_ generation: UInt32) -> Bool { advance(generation) { $0 == .stale ? .waiting : .idle } == .stale }

  private func stage(_ value: UInt64, _ generation: UInt32) -> Stage {
    value >> 32 == UInt64(generation) ? Stage(rawValue: value & 3) ?? .idle : .idle
  }

  /// - Returns: the stage before.
  private func advance(_ generation: UInt32, _ next: (Stage) -> Stage) -> Stage {
    var known = state.load(ordering: .acquiring)
    while true {
      let former = stage(known, generation)
      let wanted = UInt64(generation) << 32 | next(former).rawValue
      let (isDone, original) = state.compareExchange(expected: known, desired: wanted, ordering: .acquiringAndReleasing)
      if isDone { return former }
      known = original
    }
  }
}
