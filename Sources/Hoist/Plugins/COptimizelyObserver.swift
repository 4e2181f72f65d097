internal import CHoist
internal import HoistCore
internal import HoistOptimizely

/// A host's observer. `release` runs when the last registration and call let go of it.
final class COptimizelyObserver: HostAdapter<hoist_optimizely_observer>, OptimizelyObserver, @unchecked Sendable {
  func notify(_ kind: NotificationKind, _ json: CText) {
    withExtendedLifetime(json) { table.notify?(table.user_data, kind.rawValue, json.pointer, json.count) }
  }
}
