internal import CSQLite
internal import HoistBase

/// The one door to SQLite: every call of this process passes here, one at a time.
///
/// Two reasons, both about fork. A child of a process that had another thread inside SQLite inherits SQLite's own
/// mutexes in a locked state and hangs at its first call; the gate is one of the locks that the fork handler takes, so
/// no thread is inside. And SQLite's table of open files does not know about fork: a child that left an inherited
/// connection lying and opened the same file anew would believe to hold file locks that only its parent holds, and lose
/// commits when the parent checkpoints. So the child's first step here closes every inherited connection; with no
/// transaction open and no checkpoint on close, that touches neither the files nor the parent's locks, which belong to
/// the parent's process.
///
/// A whole transaction runs inside, so that none is open at a fork. No thread waits inside: when the file is busy, the
/// caller leaves, sleeps, and comes back.
enum SQLiteGate {
  private final class State: @unchecked Sendable {
    let lock = Lock()
    /// With the number of each.
    var connections: [OpaquePointer: UInt64] = [:]
    var opened: UInt64 = 0
    var generation = ForkGeneration.current
  }
  private static let state = State()

  static func pass<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    try state.lock.withLock { () throws(Failure) -> Value in
      closeInheritance()
      return try body()
    }
  }

  /// Inside the gate: a connection was opened.
  /// - Returns: its number.
  static func enter(_ connection: OpaquePointer) -> UInt64 {
    state.opened += 1
    state.connections[connection] = state.opened
    return state.opened
  }

  /// Inside the gate: whether a connection is open still.
  static func has(_ connection: OpaquePointer, _ number: UInt64) -> Bool { state.connections[connection] == number }

  /// Inside the gate: closes all connections of this process to a file, so that nothing of it is mapped any more.
  static func closeAll(to path: String) {
    for connection in state.connections.keys where sqlite3_db_filename(connection, "main").map({ String(cString: $0) }) == path {
      close(connection, checkpoint: false)
    }
  }

  /// Inside the gate: closes a connection for good.
  /// - Parameter checkpoint: whether the last one to leave tidies the files up.
  static func close(_ connection: OpaquePointer, checkpoint: Bool) {
    state.connections[connection] = nil
    if !checkpoint { _ = csqlite_set_option(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
    while let statement = sqlite3_next_stmt(connection, nil) { sqlite3_finalize(statement) }
    sqlite3_close_v2(connection)
  }

  private static func closeInheritance() {
    guard state.generation != ForkGeneration.current else { return }
    state.generation = ForkGeneration.current
    for connection in state.connections.keys { close(connection, checkpoint: false) }
  }
}
