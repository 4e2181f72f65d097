public import CHoist
internal import HoistCore
internal import HoistFlagship

final class CFlagshipExposureObserver: HostAdapter<hoist_flagship_exposure_observer>, ExposureObserver, @unchecked Sendable {
  func exposed(visitor: [UInt8], flag: [UInt8]) {
    guard let exposed = table.exposed else { return }
    let (visitor, flag) = (CText(visitor), CText(flag))
    withExtendedLifetime((visitor, flag)) { exposed(table.user_data, visitor.pointer, flag.pointer) }
  }
}

@_cdecl("hoist_flagship_config_set_exposure_observer") @implementation
public func hoist_flagship_config_set_exposure_observer(
  _ config: OpaquePointer?, _ observer: UnsafePointer<hoist_flagship_exposure_observer>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, observer, error, "exposure observer", \.vendor[FlagshipPlugins.exposureObserver], for: "flagship"
  ) { CFlagshipExposureObserver($0) }
}
