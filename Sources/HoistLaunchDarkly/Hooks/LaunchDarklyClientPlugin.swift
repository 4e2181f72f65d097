public import HoistCore

/// Brings hooks for each environment of a client, and gets to know each (4.5, LD-88).
public protocol LaunchDarklyClientPlugin: AnyObject, Sendable {
  /// For the log.
  var name: String { get }
  /// While the client is being made, on the caller's thread.
  /// - Parameter room: more hooks are not taken.
  func hooks(for environment: EnvironmentMetadata, room: Int) -> (hooks: [any LaunchDarklyHook], status: Status)
}

/// An environment as plug-ins see it; "" for what is not set.
public struct EnvironmentMetadata: Sendable {
  /// "default", or the name of a secondary one.
  public var environment = ""
  public var sdkName = "hoist"
  public var sdkVersion = HoistVersion.text
  public var wrapperName = ""
  public var wrapperVersion = ""
  public var applicationID = ""
  public var applicationName = ""
  public var applicationVersion = ""
  public var applicationVersionName = ""
}

extension EnvironmentMetadata {
  init(_ settings: LaunchDarklySettings, environment: String) {
    self.environment = environment.isEmpty ? LaunchDarklySettings.primaryEnvironment : environment
    wrapperName = settings.wrapperName
    wrapperVersion = settings.wrapperVersion
    applicationID = settings.applicationID
    applicationName = settings.applicationName
    applicationVersion = settings.applicationVersion
    applicationVersionName = settings.applicationVersionName
  }
}

extension LaunchDarklyPlugins {
  /// The hooks of a configuration, then those that its plug-ins bring for an environment.
  static func hooks(of plugins: Plugins, for environment: EnvironmentMetadata, log: Log) -> [any LaunchDarklyHook] {
    var hooks = plugins.vendor[Self.hooks] as? [any LaunchDarklyHook] ?? []
    for plugin in plugins.vendor[Self.plugins] as? [any LaunchDarklyClientPlugin] ?? [] {
      let brought = plugin.hooks(for: environment, room: max(0, maximumHooks - hooks.count))
      if brought.status != .ok {
        log.warning("plug-in \"\(plugin.name)\": its hooks could not be had, status \(brought.status.rawValue)")
      }
      hooks += brought.hooks
    }
    return hooks
  }
}
