public import CHoist
internal import HoistCore
internal import HoistFlagship

/// A host's observer of exposures.
final class CFlagshipExposureObserver: ExposureObserver, @unchecked Sendable {
  private let table: hoist_flagship_exposure_observer

  init(_ table: hoist_flagship_exposure_observer) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

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
  var isSupported = true
  let status = PluginSlot.set(
    config, observer, size: observer?.pointee.struct_size, zero: hoist_flagship_exposure_observer(), error,
    kind: "exposure observer"
  ) {
    CFlagshipExposureObserver($0)
  } store: { box, adapter in
    isSupported = box.factory?.name == "flagship"
    if isSupported { box.plugins.vendor[FlagshipPlugins.exposureObserver] = adapter }
  }
  return isSupported ? status : ErrorSlot(error).fail(.unsupported, "an exposure observer is for flagship only")
}
