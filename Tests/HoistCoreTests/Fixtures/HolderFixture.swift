import CShims
@testable import HoistCore
import Synchronization
import Testing

/// A holder whose living snapshots are counted.
final class HolderFixture: @unchecked Sendable {
  final class Life: Sendable {
    private let counter: Counter
    init(_ counter: Counter) {
      self.counter = counter
      counter.value.add(1, ordering: .relaxed)
    }
    deinit { counter.value.subtract(1, ordering: .relaxed) }
  }
  final class Counter: Sendable { let value = Atomic(0) }

  let hot: UnsafeMutablePointer<shim_hot>
  let holder: SnapshotHolder
  private let counter = Counter()
  var living: Int { counter.value.load(ordering: .relaxed) }

  init() throws {
    hot = try #require(shim_hot_new(HotPath.clientMagic, nil))
    holder = SnapshotHolder(hot)
  }

  deinit {
    holder.destroy()
    shim_hot_free(hot)
  }

  /// One switch that is on.
  func snapshot(_ name: String) -> Snapshot? {
    TestFlags.snapshot([(name, .bool(true))], resources: Life(counter))
  }

  /// Takes every count.
  @discardableResult
  func drain() -> UInt64 {
    var total: UInt64 = 0
    holder.drain { _, _, _, count in total += count }
    return total
  }

  /// What the hot path answers for a switch: 0 or 1; nil when it does not.
  @discardableResult
  func evaluate(_ name: String) -> Int64? {
    name.withBytes { HotPath.evaluate(hot, $0, nil, .bool) { $0.integer } }
  }
}
