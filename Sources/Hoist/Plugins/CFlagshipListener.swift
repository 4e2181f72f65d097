internal import CHoist
internal import HoistFlagship

/// A host's listener. `release` runs when the configuration and the client let go of it.
final class CFlagshipListener: HostAdapter<hoist_flagship_listener>, FlagshipListener, @unchecked Sendable {
  func sdkStatusChanged(_ status: SDKStatus) { table.sdk_status_changed?(table.user_data, status.rawValue) }
  func bucketingChanged() { table.bucketing_changed?(table.user_data) }
}
