internal import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

/// A host's observer. `release` runs when the last registration and call let go of it.
final class CLaunchDarklyObserver: HostAdapter<hoist_launchdarkly_observer>, ChangeObserver, @unchecked Sendable {
  func changed(_ changes: [FlagChange]) {
    guard let changed = table.changed else { return }
    withExtendedLifetime(changes) {
      let own = changes.map {
        hoist_launchdarkly_change(
          key: $0.key.pointer, old_value: $0.oldValue?.pointer ?? Constants.empty,
          new_value: $0.newValue?.pointer ?? Constants.empty)
      }
      own.withUnsafeBufferPointer { buffer in
        if let start = buffer.baseAddress { changed(table.user_data, start, buffer.count) }
      }
    }
  }

  func unchanged() { table.unchanged?(table.user_data) }
  func changed(_ store: ObservedStore, _ status: StoreStatus) {
    let told = store == .rules ? table.store_status : table.big_segments_status
    told?(table.user_data, status.isAvailable, status.isStale)
  }

  func connectionModeChanged(_ mode: Int32) { table.connection_mode?(table.user_data, mode) }

  func rulesChanged(_ keys: [CText]) {
    guard let changed = table.rules_changed else { return }
    withExtendedLifetime(keys) {
      keys.map(\.pointer).withUnsafeBufferPointer { buffer in
        if let start = buffer.baseAddress { changed(table.user_data, start, buffer.count) }
      }
    }
  }
}
