public import CShims

/// A mutex that stays usable in a forked child. Not recursive. For objects that are few: each fork takes every one, and
/// may copy a page for it. Objects that may be many have an `InlineLock`.
///
/// `Synchronization.Mutex` traps in a child when another thread held it at the fork; this one is in the registry of
/// `shim_lock.h`, whose locks the fork handler takes. Never held while host code, a system library's call or I/O runs,
/// but for the locks around the files of the built-in store and its journals, whose work must not be cut in two by a
/// fork: a fork waits until that is done, and so for the disk. A host's thread waits for such a lock with a limit only.
public final class Lock: @unchecked Sendable {
  @usableFromInline let raw: OpaquePointer

  public init() { raw = shim_lock_new() }
  deinit { shim_lock_free(raw) }

  @inlinable @inline(__always)
  public func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    shim_lock_lock(raw)
    defer { shim_lock_unlock(raw) }
    return try body()
  }

  /// - Parameter deadline: monotonic nanoseconds: until when to wait for the lock.
  /// - Returns: nil when it passed first; then `body` has not run.
  public func withLock<Result, Failure: Error>(
    untilNanoseconds deadline: Int64, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard shim_lock_lock_until(raw, deadline) else { return nil }
    defer { shim_lock_unlock(raw) }
    return try body()
  }
}

/// A condition variable on the monotonic clock, made anew in a forked child.
public final class Condition: @unchecked Sendable {
  private let raw: OpaquePointer

  public init() { raw = shim_condition_new() }
  deinit { shim_condition_free(raw) }

  public func broadcast() { shim_condition_broadcast(raw) }

  /// Waits with `lock` held by the caller; it is released while waiting.
  /// - Parameter deadline: monotonic nanoseconds; `Int64.max` waits forever.
  /// - Returns: false when the deadline passed. Wake-ups may be spurious: check again.
  public func wait(_ lock: Lock, untilNanoseconds deadline: Int64) -> Bool {
    shim_condition_wait(raw, lock.raw, deadline)
  }
}
