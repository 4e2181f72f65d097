public import CHoist
internal import HoistCore
internal import HoistOptimizely

final class COptimizelyPlatform: HostAdapter<hoist_optimizely_odp_manager>, PlatformManager, @unchecked Sendable {
  var fetchesSegments: Bool { table.fetch_segments != nil }
  var takesEvents: Bool { table.send_event != nil }

  func segments(of userID: [UInt8], _ options: SegmentFetchOptions) -> Result<[[UInt8]], PlatformFailure> {
    guard let fetch = table.fetch_segments else { return .success([]) }
    let sink = SegmentSink()
    let user = CText(userID)
    let status = withExtendedLifetime(user) {
      Handle.lend(sink) { fetch(table.user_data, user.pointer, options.rawValue, $0) }
    }
    switch status {
    case Status.ok.rawValue: return .success(sink.names)
    case PlatformFailure.invalidIdentifier.status.rawValue: return .failure(.invalidIdentifier)
    default: return .failure(.fetchFailed("the ODP manager answered with status \(status)"))
    }
  }

  func send(type: String, action: String, identifiers: [UInt8], data: [UInt8]) -> Status {
    guard let send = table.send_event else { return .ok }
    let texts = (CText(type), CText(action), CText(identifiers), CText(data))
    return withExtendedLifetime(texts) {
      Status(
        rawValue: send(table.user_data, texts.0.pointer, texts.1.pointer, texts.2.pointer, texts.3.pointer))
    }
  }
}

/// What a `hoist_optimizely_segment_sink` handle points at, during one call.
final class SegmentSink {
  static let maximumNames = 10_000
  var names: [[UInt8]] = []
}

@_cdecl("hoist_optimizely_segment_sink_add") @implementation
public func hoist_optimizely_segment_sink_add(_ sink: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  guard let sink = Handle<SegmentSink>.borrow(sink), let name = CString.text(name) else { return Status.argument.rawValue }
  guard sink.names.count < SegmentSink.maximumNames else { return Status.limit.rawValue }
  sink.names.append(Array(name.utf8))
  return Status.ok.rawValue
}

@_cdecl("hoist_optimizely_config_set_odp_manager") @implementation
public func hoist_optimizely_config_set_odp_manager(
  _ config: OpaquePointer?, _ manager: UnsafePointer<hoist_optimizely_odp_manager>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, manager, error, "ODP manager", \.vendor[OptimizelyPlatformPlugin.key], for: "optimizely"
  ) { COptimizelyPlatform($0) }
}
