public import CHoist
internal import HoistCore
internal import HoistOptimizely

final class COptimizelyProfiles: HostAdapter<hoist_optimizely_profile_service>, UserProfileService, @unchecked Sendable {
  func lookUp(_ userID: [UInt8]) -> ProfileAnswer {
    guard let lookup = table.lookup else { return .none }
    let sink = ProfileSink()
    let id = CText(userID)
    let status = withExtendedLifetime(id) { Handle.lend(sink) { lookup(table.user_data, id.pointer, $0) } }
    switch Status(rawValue: status) {
    case .ok: return sink.profile.map { .profile($0) } ?? .none
    case .notFound: return .none
    default: return .failed
    }
  }

  func save(_ userID: [UInt8], _ profile: [UInt8]) -> Bool {
    guard let save = table.save else { return true }
    let (id, json) = (CText(userID), CText(profile))
    return withExtendedLifetime((id, json)) {
      save(table.user_data, id.pointer, json.pointer, json.count) == Status.ok.rawValue
    }
  }
}

/// What a `hoist_optimizely_profile_sink` handle points at, during one call.
final class ProfileSink {
  var profile: [UInt8]?
}

@_cdecl("hoist_optimizely_profile_sink_put") @implementation
public func hoist_optimizely_profile_sink_put(
  _ sink: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard let sink = Handle<ProfileSink>.borrow(sink), let bytes = CString.array(json, length) else {
    return Status.argument.rawValue
  }
  sink.profile = bytes
  return Status.ok.rawValue
}

@_cdecl("hoist_optimizely_config_set_profile_service") @implementation
public func hoist_optimizely_config_set_profile_service(
  _ config: OpaquePointer?, _ service: UnsafePointer<hoist_optimizely_profile_service>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, service, error, "user profile service", \.vendor[OptimizelyPlugins.profileService], for: "optimizely"
  ) { COptimizelyProfiles($0) }
}
