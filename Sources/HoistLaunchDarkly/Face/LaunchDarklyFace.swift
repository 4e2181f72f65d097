public import HoistBase
public import HoistCore

/// What only LaunchDarkly clients can do, in LaunchDarkly's words. A view of a client; thread-safe.
public struct LaunchDarklyFace: Sendable {
  let client: Client
  let provider: LaunchDarklyProvider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    guard let provider = client.provider as? LaunchDarklyProvider else { return nil }
    self.client = client
    self.provider = provider
  }
}

/// How the client is connected (LD-16, LD-74, LD-92; protocols/launchdarkly.md 5.7, 5.8).
extension LaunchDarklyFace {
  public var connectionInformation: ConnectionInformation { provider.connection.information }
  public var dataSource: DataSourceStatus { provider.connection.dataSource }

  /// For all environments of the client.
  public func setInBackground(_ isInBackground: Bool) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    client.onScheduler { client in
      for case let provider as LaunchDarklyProvider in client.providersOfGroup { provider.life.setForeground(!isInBackground) }
    }
    return .ok
  }
}

/// Flags in LaunchDarkly's words; any thread.
extension LaunchDarklyFace {
  /// Every flag's value as a JSON object (LD-25), null included; nil before the start and after the close. Counts nothing.
  public var allFlags: [UInt8]? {
    client.isClosed ? nil : (client as any ProviderHost).allFlagValues()
  }

  /// A value of a type of the caller's choosing (LD-60, LD-61). One evaluation, of type WRONG_TYPE if the value does not
  /// convert.
  /// - Parameters:
  ///   - convert: gets the value as JSON text, outside any lock; false when it does not convert. Not called for a value
  ///     that is null or not there.
  ///   - fallback: JSON text, for events.
  /// - Returns: whether the value was converted, and how it was determined.
  public func decode(
    _ key: ByteView, fallback: EvaluationFallback, isDetailed: Bool, _ convert: (ByteView) -> Bool
  ) -> (isConverted: Bool, detail: EvaluationDetail) {
    let value = client.evaluate(key, nil, .any, [], fallback) { evaluation, detail in
      (kind: evaluation.kind, text: detail.value)
    }
    let isConverted = value.kind != .none && convert(ByteView(value.text.buffer))
    var want = WantedType.any
    // A value that does not convert is of the wrong type: asked for as a type that it has not.
    if value.kind != .none, !isConverted { want = value.kind == .bool ? .string : .bool }
    let mode: EvaluationMode = isDetailed ? [.counted, .detailed] : .counted
    return client.evaluate(key, nil, want, mode, fallback) { evaluation, detail in
      (isConverted && evaluation.kind != .none, detail)
    }
  }
}

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
      let status = provider.track(key, data: data, metric: metric)
      return status == .argument ? client.refuse(String(decoding: key, as: UTF8.self), status, "its data is no JSON") : status
    }
  }

  /// Begins to send what is recorded, of all environments (LD-43).
  public func flush() -> Status {
    guard !client.isClosed else { return .state }
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

  /// The metadata of this environment for plug-ins.
  public var metadata: EnvironmentMetadata { EnvironmentMetadata(provider.settings, environment: client.environment) }

  public func warn(_ line: String) { client.log.warning(line) }
}
