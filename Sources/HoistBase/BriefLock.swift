public import CShims
internal import Glibc
public import Synchronization

/// A lock for a moment's work on memory that hardly ever has two threads at it: it costs one shared write, where a `Lock`
/// costs two and its calls. Nothing that is done with it may block or call anybody. Not recursive.
///
/// A fork does not wait for it. In the child, what another thread of the parent's had at that moment is lost: half changed,
/// perhaps, and never to be had again.
public struct BriefLock: ~Copyable, Sendable {
  @usableFromInline static let pauseMicroseconds: UInt32 = 20

  /// 0, or the mark of the process of whoever has it.
  @usableFromInline let owner = Atomic<UInt32>(0)

  public init() { shim_fork_install() }

  /// Waits until it can be had; to be followed by `leave`.
  /// - Returns: false when it is lost.
  @inlinable @inline(__always)
  public func enter() -> Bool {
    let mark = shim_fork_generation() &+ 1
    return claim(mark) == 0 || enterLater(mark)
  }

  @inlinable @inline(__always)
  public func leave() { owner.store(0, ordering: .releasing) }

  /// Whether somebody has it, or it is lost.
  public var isTaken: Bool { owner.load(ordering: .acquiring) != 0 }

  /// - Returns: whose it was; 0 when it is the caller's now.
  @inlinable @inline(__always)
  func claim(_ mark: UInt32) -> UInt32 {
    owner.compareExchange(expected: 0, desired: mark, successOrdering: .acquiring, failureOrdering: .relaxed).original
  }

  @usableFromInline @inline(never)
  func enterLater(_ mark: UInt32) -> Bool {
    while true {
      switch claim(mark) {
      case 0: return true
      case mark: usleep(Self.pauseMicroseconds)
      default: return false
      }
    }
  }
}
