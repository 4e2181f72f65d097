public import CShims
public import Synchronization

/// A mutex inside the object that it guards, for objects of which a host may have a hundred thousand: four bytes, no
/// allocation, and a fork costs no more with it (`shim_lock.h`). It stays usable in a forked child. Not recursive.
///
/// Held briefly, for work on memory only: a fork waits for every thread that has one. Never held while host code, a
/// system library's call or I/O runs, and no `Condition` waits with it. Locks of any kind may be taken while it is
/// held.
public struct InlineLock: ~Copyable, Sendable {
  @usableFromInline let word = Atomic<UInt32>(0)

  public init() {}

  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let word = address
    shim_inline_lock(word)
    defer { shim_inline_unlock(word) }
    return try body()
  }

  /// An atomic cannot be copied: it is borrowed in place.
  @inlinable @inline(__always)
  var address: UnsafeMutablePointer<UInt32> {
    withUnsafePointer(to: word) { UnsafeMutablePointer(mutating: UnsafeRawPointer($0).assumingMemoryBound(to: UInt32.self)) }
  }
}
