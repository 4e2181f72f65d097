public import HoistBase
public import HoistCore

/// What LaunchDarkly clients of both modes can do, in LaunchDarkly's words. A view of a client; thread-safe.
public struct LaunchDarklyAnyFace: Sendable {
  private enum Provider {
    case client(LaunchDarklyProvider)
    case server(ServerProvider)
  }

  private let client: Client
  private let provider: Provider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    if let provider = client.provider as? LaunchDarklyProvider {
      self.provider = .client(provider)
    } else if let provider = client.provider as? ServerProvider {
      self.provider = .server(provider)
    } else {
      return nil
    }
    self.client = client
  }

  /// Says that a call is for the other mode.
  public func refuse() -> String {
    let text =
      switch provider {
      case .client: "the call is for mode server: in mode client the service decides the flags, of one context"
      case .server:
        "the call is for mode client: in mode server there are no flags of one context, and the core's calls do what is left"
      }
    client.log.warning(text)
    return text
  }

  private var settings: LaunchDarklySettings {
    switch provider {
    case .client(let provider): provider.settings
    case .server(let provider): provider.settings.common
    }
  }

  private var connection: ConnectionState {
    switch provider {
    case .client(let provider): provider.connection
    case .server(let provider): provider.connection
    }
  }

  /// How the client is connected (LD-16, LD-74, LD-92, LDS-07).
  public var connectionInformation: ConnectionInformation { connection.information }
  public var dataSource: DataSourceStatus { connection.dataSource }

  /// - Returns: a token for `Client.unobserve`; 0 when there are too many.
  public func observeConnectionMode(_ observer: any ChangeObserver) -> UInt64 {
    switch provider {
    case .client(let provider): provider.observers.add(observer, for: .connectionMode)
    case .server(let provider): provider.observers.add(observer, for: .connectionMode)
    }
  }

  /// In mode server whether a whole set of rules has come (server 2.5); see `LaunchDarklyFace.isInitialized`.
  public var isInitialized: Bool {
    guard !client.isClosed else { return false }
    return switch provider {
    case .client(let provider): provider.online.isInitialized
    case .server(let provider): provider.rules.hasArrived
    }
  }

  public var isOnline: Bool {
    guard !client.isClosed else { return false }
    return switch provider {
    case .client(let provider): provider.online.isOnline
    case .server(let provider): client.isOnline && !provider.settings.common.mobileKey.isEmpty
    }
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
      (kind: evaluation.kind, text: detail().value)
    }
    let isConverted = value.kind != .none && convert(ByteView(value.text.buffer))
    var want = WantedType.any
    // A value that does not convert is of the wrong type: asked for as a type that it has not.
    if value.kind != .none, !isConverted { want = value.kind == .bool ? .string : .bool }
    let mode: EvaluationMode = isDetailed ? [.counted, .detailed] : .counted
    return client.evaluate(key, nil, want, mode, fallback) { evaluation, detail in
      (isConverted && evaluation.kind != .none, detail())
    }
  }

  /// Records a custom event; refused after close.
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: what should be JSON; nil for none.
  ///   - context: nil for the current one, which alone has events in mode client.
  /// - Returns: `.unsupported` for a client of another service, `.argument` for data that is no JSON.
  public static func track(_ key: ByteView, data: ByteView?, metric: Double?, of context: ContextReference?, with client: Client)
    -> Status
  {
    client.track { provider in
      var something = data
      if let data {
        guard let isSomething = EventData.isSomething(data) else {
          return client.refuse(String(decoding: key, as: UTF8.self), .argument, "its data is no JSON")
        }
        // `null` is none.
        if !isSomething { something = nil }
      }
      if let provider = provider as? LaunchDarklyProvider {
        if context != nil {
          return client.refuse(
            String(decoding: key, as: UTF8.self), .unsupported, "in mode client events are of the current context: name none")
        }
        return provider.track(key, data: something, metric: metric)
      }
      guard let provider = provider as? ServerProvider else { return .unsupported }
      return provider.track(key, data: something, metric: metric, of: context ?? client.currentContext)
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
}

/// Plug-ins that know the client (LD-88).
extension LaunchDarklyAnyFace {
  /// Those of the configuration.
  public var plugins: [any LaunchDarklyClientPlugin] {
    client.plugins.vendor[LaunchDarklyPlugins.plugins] as? [any LaunchDarklyClientPlugin] ?? []
  }

  /// The metadata of this environment for plug-ins.
  public var metadata: EnvironmentMetadata { EnvironmentMetadata(settings, environment: client.environment) }

  public func warn(_ line: String) { client.log.warning(line) }
}

/// Stores of a client in mode server.
extension LaunchDarklyAnyFace {
  public var isServer: Bool { server != nil }
  private var server: ServerProvider? { if case .server(let provider) = provider { provider } else { nil } }

  /// nil in mode client and after close. True and false without a store (LDS-64).
  public var storeStatus: StoreStatus? {
    guard let server, !client.isClosed else { return nil }
    return server.rules.shared?.status ?? StoreStatus(isAvailable: true, isStale: false)
  }

  /// nil where it was not polled yet, and cannot be waited for, and as above. False and false without a store (LDS-63).
  public var bigSegmentsStatus: StoreStatus? {
    guard let server, !client.isClosed else { return nil }
    client.resumeAfterFork()
    guard let segments = server.bigSegments else { return StoreStatus(isAvailable: false, isStale: false) }
    return segments.status(waits: !Thread.isOwn)
  }

  /// In mode server.
  /// - Returns: a token for `Client.unobserve`; 0 when there are too many.
  public func observe(_ store: ObservedStore, _ observer: any ChangeObserver) -> UInt64 {
    server?.observers.add(observer, for: .store(store)) ?? 0
  }
}
