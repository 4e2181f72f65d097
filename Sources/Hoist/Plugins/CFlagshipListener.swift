internal import CHoist
internal import HoistFlagship

/// A host's listener. `release` runs when the configuration and the client let go of it.
final class CFlagshipListener: FlagshipListener, @unchecked Sendable {
  private let table: hoist_flagship_listener

  init(_ table: hoist_flagship_listener) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

  func sdkStatusChanged(_ status: SDKStatus) { table.sdk_status_changed?(table.user_data, status.rawValue) }
  func bucketingChanged() { table.bucketing_changed?(table.user_data) }
}
