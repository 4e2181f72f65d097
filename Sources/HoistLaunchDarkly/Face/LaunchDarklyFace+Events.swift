public import HoistBase
public import HoistCore

/// Events, and plug-ins that know the client (LD-40, LD-43, LD-88).
extension LaunchDarklyFace {
  /// Records a custom event; refused after close.
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: what should be JSON; nil for none.
  /// - Returns: `.unsupported` for a client of another service, `.argument` for data that is no JSON.
  public static func track(_ key: ByteView, data: ByteView?, metric: Double?, with client: Client) -> Status {
    client.track { provider in
      guard let provider = provider as? LaunchDarklyProvider else { return .unsupported }
      return provider.track(key, data: data, metric: metric)
    }
  }

  /// Begins to send what is recorded, of all environments (LD-43).
  public func flush() -> Status {
    guard client.state != .closed else { return .state }
    client.resumeAfterFork()
    client.onScheduler { client in
      for member in client.members { member.provider?.flush { _ in } }
    }
    return .ok
  }

  /// Those of the configuration.
  public var plugins: [any LaunchDarklyClientPlugin] {
    client.plugins.vendor[LaunchDarklyPlugins.plugins] as? [any LaunchDarklyClientPlugin] ?? []
  }

  /// What a plug-in is told of this environment.
  public var metadata: EnvironmentMetadata { EnvironmentMetadata(provider.settings, environment: client.environment) }

  public func warn(_ line: String) { client.log.warning(line) }
}
