public import CShims
internal import Glibc
public import Synchronization

/// A lock for brief work on memory with hardly any contention: it costs one shared write, where a `Lock` costs two and
/// its calls. Its holder must not block or call out. Not recursive.
///
/// A fork does not wait for it. In the child, what another thread of the parent had locked is lost: perhaps half
/// changed, and locked for good.
public struct SpinLock: ~Copyable, Sendable {
  @usableFromInline static let pauseMicroseconds: UInt32 = 20

  /// 0, or the mark of the owner's process.
  @usableFromInline let owner = Atomic<UInt32>(0)

  public init() {}

  /// Locks; to be followed by `leave`.
  /// - Returns: false when it is lost.
  @inlinable @inline(__always)
  public func enter() -> Bool {
    let mark = shim_fork_generation() &+ 1
    return claim(mark) == 0 || enterLater(mark)
  }

  @inlinable @inline(__always)
  public func leave() { owner.store(0, ordering: .releasing) }

  /// Whether it is held, or lost.
  public var isTaken: Bool { owner.load(ordering: .acquiring) != 0 }

  /// - Returns: the owner's mark; 0 when the caller has it now.
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
