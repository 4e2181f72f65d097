import CSQLite
import Glibc
import Synchronization

/// Lets one reading of SQLite's fail on the thread that asks for it, by SQLite's own hook for tests.
enum FailingReads {
  private static let thread = Atomic<UInt>(0)
  private static let left = Atomic(0)

  static func install() {
    let read: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int) -> Int = { file, buffer, count, offset in
      if FailingReads.isTheOne() {
        errno = EIO
        return -1
      }
      return pread(file, buffer, count, offset)
    }
    let system = sqlite3_vfs_find(nil)
    for name in ["pread", "pread64"] {
      _ = system?.pointee.xSetSystemCall(system, name, unsafeBitCast(read, to: sqlite3_syscall_ptr.self))
    }
  }

  /// - Parameter number: from 1, of the next ones on this thread.
  static func fail(_ number: Int) {
    left.store(number, ordering: .relaxed)
    thread.store(UInt(pthread_self()), ordering: .releasing)
  }

  /// - Returns: whether it has come to the one that was to fail.
  static func end() -> Bool {
    thread.store(0, ordering: .releasing)
    return left.load(ordering: .relaxed) <= 0
  }

  private static func isTheOne() -> Bool {
    guard thread.load(ordering: .acquiring) == UInt(pthread_self()) else { return false }
    return left.subtract(1, ordering: .relaxed).oldValue == 1
  }
}
