internal import CHoist
internal import HoistCore
internal import HoistOptimizely

/// A host's listener. `release` runs when the last registration and call let go of it.
final class COptimizelyListener: OptimizelyListener, @unchecked Sendable {
  private let table: hoist_optimizely_listener

  init?(_ table: UnsafePointer<hoist_optimizely_listener>) {
    guard let copy = HostTable.read(table, size: table.pointee.struct_size, zero: hoist_optimizely_listener()) else {
      return nil
    }
    self.table = copy
  }

  deinit { HostRelease.run(table.release, table.user_data) }

  func notify(_ kind: NotificationKind, _ json: CText) {
    withExtendedLifetime(json) { table.notify?(table.user_data, kind.rawValue, json.pointer, json.count) }
  }
}
