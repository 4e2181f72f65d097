internal import CHoist
internal import HoistCore
internal import HoistFlagship

/// A host's observer. `release` runs when the last registration and call let go of it.
final class CFlagshipObserver: HostAdapter<hoist_flagship_observer>, FlagshipObserver, @unchecked Sendable {
  var hasFunctions: Bool { table.sdk_status_changed != nil || table.bucketing_changed != nil || hearsOfExposures }
  var hearsOfExposures: Bool { table.exposed != nil }

  func sdkStatusChanged(_ status: SDKStatus) { table.sdk_status_changed?(table.user_data, status.rawValue) }
  func bucketingChanged() { table.bucketing_changed?(table.user_data) }

  func exposed(visitor: [UInt8], flag: [UInt8]) {
    let (visitor, flag) = (CText(visitor), CText(flag))
    withExtendedLifetime((visitor, flag)) { table.exposed?(table.user_data, visitor.pointer, flag.pointer) }
  }
}
