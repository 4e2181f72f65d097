internal import CHoist
internal import HoistCore
internal import HoistOptimizely

/// A host's listener. `release` runs when the last registration and call let go of it.
final class COptimizelyListener: HostAdapter<hoist_optimizely_listener>, OptimizelyListener, @unchecked Sendable {
  func notify(_ kind: NotificationKind, _ json: CText) {
    withExtendedLifetime(json) { table.notify?(table.user_data, kind.rawValue, json.pointer, json.count) }
  }
}
