public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

final class CLaunchDarklyHook: HostAdapter<hoist_launchdarkly_hook>, LaunchDarklyHook, @unchecked Sendable {
  /// Copied: the table's text is the host's.
  let name: String

  required init(_ table: hoist_launchdarkly_hook) {
    name = table.name.map { String(cString: $0) } ?? ""
    super.init(table)
  }

  func beforeEvaluation(_ series: EvaluationSeries, _ data: inout UnsafeMutableRawPointer?) -> Status {
    guard let before = table.before_evaluation else { return .ok }
    return Self.with(series) { Status(rawValue: before(table.user_data, $0, &data)) }
  }

  func afterEvaluation(_ series: EvaluationSeries, _ data: UnsafeMutableRawPointer?, _ detail: EvaluationDetail) -> Status {
    guard let after = table.after_evaluation else { return .ok }
    return Self.with(series) { series in
      Handle.lend(detail) { Status(rawValue: after(table.user_data, series, data, $0)) }
    }
  }

  func beforeIdentify(_ series: IdentifySeries, _ data: inout UnsafeMutableRawPointer?) -> Status {
    guard let before = table.before_identify else { return .ok }
    return Self.with(series) { Status(rawValue: before(table.user_data, $0, &data)) }
  }

  func afterIdentify(_ series: IdentifySeries, _ data: UnsafeMutableRawPointer?, _ result: Status) -> Status {
    guard let after = table.after_identify else { return .ok }
    return Self.with(series) { Status(rawValue: after(table.user_data, $0, data, result.rawValue)) }
  }

  func afterTrack(_ series: TrackSeries) -> Status {
    guard let after = table.after_track else { return .ok }
    var told = hoist_launchdarkly_track_series(
      struct_size: MemoryLayout<hoist_launchdarkly_track_series>.size, key: series.key.pointer,
      context: series.context?.pointer ?? Constants.empty, data: series.data?.pointer ?? Constants.empty,
      has_metric: series.metric != nil, metric: series.metric ?? 0,
      environment_id: series.environmentID?.pointer ?? Constants.empty)
    return withExtendedLifetime(series) { Status(rawValue: after(table.user_data, &told)) }
  }

  private static func with(
    _ series: EvaluationSeries, _ body: (UnsafePointer<hoist_launchdarkly_evaluation_series>) -> Status
  ) -> Status {
    var told = hoist_launchdarkly_evaluation_series(
      struct_size: MemoryLayout<hoist_launchdarkly_evaluation_series>.size, flag_key: series.flagKey.pointer,
      context: series.context?.pointer ?? Constants.empty, default_value: series.fallback.pointer,
      method: UnsafeRawPointer(series.method.utf8Start).assumingMemoryBound(to: CChar.self),
      environment_id: series.environmentID?.pointer ?? Constants.empty)
    return withExtendedLifetime(series) { body(&told) }
  }

  private static func with(
    _ series: IdentifySeries, _ body: (UnsafePointer<hoist_launchdarkly_identify_series>) -> Status
  ) -> Status {
    var told = hoist_launchdarkly_identify_series(
      struct_size: MemoryLayout<hoist_launchdarkly_identify_series>.size, context: series.context.pointer,
      timeout_ms: series.timeoutMilliseconds)
    return withExtendedLifetime(series) { body(&told) }
  }
}

extension Plugins {
  private var launchDarklyHooks: [any LaunchDarklyHook] {
    vendor[LaunchDarklyPlugins.hooks] as? [any LaunchDarklyHook] ?? []
  }

  var hasRoomForLaunchDarklyHook: Bool { launchDarklyHooks.count < LaunchDarklyPlugins.maximumHooks }

  mutating func add(_ hook: any LaunchDarklyHook) { vendor[LaunchDarklyPlugins.hooks] = launchDarklyHooks + [hook] }
}

@_cdecl("hoist_launchdarkly_config_add_hook") @implementation
public func hoist_launchdarkly_config_add_hook(
  _ config: OpaquePointer?, _ hook: UnsafePointer<hoist_launchdarkly_hook>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.take(config, hook, error, "LaunchDarkly hook", { CLaunchDarklyHook($0) }) { box, adapter in
    try box.require("launchdarkly", "a LaunchDarkly hook")
    guard box.plugins.hasRoomForLaunchDarklyHook else {
      throw Refusal(.limit, "a configuration has at most \(LaunchDarklyPlugins.maximumHooks) LaunchDarkly hooks")
    }
    box.plugins.add(adapter)
  }
}
