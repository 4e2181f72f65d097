public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

final class CLaunchDarklyClientPlugin: HostAdapter<hoist_launchdarkly_client_plugin>, LaunchDarklyClientPlugin,
  @unchecked Sendable
{
  /// Most plug-ins one configuration may have.
  static let maximumPerConfiguration = 16

  /// Copied: the table's text is the host's.
  let name: String

  required init(_ table: hoist_launchdarkly_client_plugin) {
    name = table.name.map { String(cString: $0) } ?? ""
    super.init(table)
  }

  func hooks(for environment: EnvironmentMetadata, room: Int) -> (hooks: [any LaunchDarklyHook], status: Status) {
    guard let getHooks = table.get_hooks else { return ([], .ok) }
    let sink = HookSink(room: room)
    let status = Self.with(environment) { told in
      Handle.lend(sink) { Status(rawValue: getHooks(table.user_data, told, $0)) }
    }
    return (sink.hooks, status)
  }

  /// Registers a client with the plug-in.
  func register(_ client: OpaquePointer, _ environment: EnvironmentMetadata) -> Status {
    guard let register = table.register_client else { return .ok }
    return Self.with(environment) { Status(rawValue: register(table.user_data, client, $0)) }
  }

  /// Tells all plug-ins of a client that has just been opened.
  static func register(_ client: Client, _ handle: OpaquePointer) {
    for environment in client.members {
      guard let face = LaunchDarklyAnyFace(environment) else { return }
      let own = environment === client ? handle : OpaquePointer(environment.hot)
      for plugin in face.plugins {
        guard let plugin = plugin as? CLaunchDarklyClientPlugin else { continue }
        let status = plugin.register(own, face.metadata)
        if status != .ok { face.warn("plug-in \"\(plugin.name)\": register failed with status \(status.rawValue)") }
      }
    }
  }

  private static func with(
    _ environment: EnvironmentMetadata, _ body: (UnsafePointer<hoist_launchdarkly_environment_metadata>) -> Status
  ) -> Status {
    let texts = [
      environment.environment, environment.sdkName, environment.sdkVersion, environment.wrapperName,
      environment.wrapperVersion, environment.applicationID, environment.applicationName, environment.applicationVersion,
      environment.applicationVersionName,
    ].map { CText($0) }
    var told = hoist_launchdarkly_environment_metadata(
      struct_size: MemoryLayout<hoist_launchdarkly_environment_metadata>.size, environment: texts[0].pointer,
      sdk_name: texts[1].pointer, sdk_version: texts[2].pointer, wrapper_name: texts[3].pointer,
      wrapper_version: texts[4].pointer, application_id: texts[5].pointer, application_name: texts[6].pointer,
      application_version: texts[7].pointer, application_version_name: texts[8].pointer)
    return withExtendedLifetime(texts) { body(&told) }
  }
}

/// What a `hoist_launchdarkly_hook_sink` handle points at, during one call.
final class HookSink {
  private let room: Int
  private(set) var hooks: [any LaunchDarklyHook] = []
  init(room: Int) { self.room = room }

  func add(_ hook: CLaunchDarklyHook) -> Status {
    guard hooks.count < room else { return .limit }
    hooks.append(hook)
    return .ok
  }
}

@_cdecl("hoist_launchdarkly_hook_sink_add") @implementation
public func hoist_launchdarkly_hook_sink_add(
  _ sink: OpaquePointer?, _ hook: UnsafePointer<hoist_launchdarkly_hook>?
) -> hoist_status {
  // The adapter first: whatever happens next, `release` runs when it goes.
  guard let adapter = CLaunchDarklyHook(reading: hook) else { return Status.argument.rawValue }
  return (Handle<HookSink>.borrow(sink)?.add(adapter) ?? .argument).rawValue
}

@_cdecl("hoist_launchdarkly_config_add_plugin") @implementation
public func hoist_launchdarkly_config_add_plugin(
  _ config: OpaquePointer?, _ plugin: UnsafePointer<hoist_launchdarkly_client_plugin>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.take(config, plugin, error, "LaunchDarkly plug-in", { CLaunchDarklyClientPlugin($0) }) { box, adapter in
    try box.require("launchdarkly", "a LaunchDarkly plug-in")
    let (known, limit) = (box.plugins.vendor[LaunchDarklyPlugins.plugins], CLaunchDarklyClientPlugin.maximumPerConfiguration)
    let plugins = known as? [any LaunchDarklyClientPlugin] ?? []
    guard plugins.count < limit else { throw Refusal(.limit, "a configuration has at most \(limit) LaunchDarkly plug-ins") }
    box.plugins.vendor[LaunchDarklyPlugins.plugins] = plugins + [adapter]
  }
}
