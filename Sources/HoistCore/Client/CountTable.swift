public import HoistBase

/// Counts of names that have no cell: flags the snapshot does not know. Thread-safe, bounded.
public final class CountTable: @unchecked Sendable {
  /// Names beyond this are counted together in `overflow`.
  public static let maximumNames = 1000

  private let lock = Lock()
  private var counts: [[UInt8]: [UInt64]] = [:]
  private var lost: UInt64 = 0
  private let columns: Int

  /// - Parameter columns: how many counters a name has.
  public init(columns: Int) { self.columns = max(1, columns) }

  public func add(_ name: ByteView, column: Int) {
    guard column < columns, column >= 0 else { return }
    let key = Array(name)
    lock.withLock {
      if counts[key] == nil {
        guard counts.count < Self.maximumNames else {
          lost &+= 1
          return
        }
        counts[key] = [UInt64](repeating: 0, count: columns)
      }
      counts[key]?[column] &+= 1
    }
  }

  /// Takes everything counted since the last call.
  public func take() -> [(name: [UInt8], counts: [UInt64])] {
    lock.withLock {
      defer { counts = [:] }
      return counts.map { ($0.key, $0.value) }
    }
  }

  /// Counts that found no room, since the table was made.
  public var overflow: UInt64 { lock.withLock { lost } }
}
