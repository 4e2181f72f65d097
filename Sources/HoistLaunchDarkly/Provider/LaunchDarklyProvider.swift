internal import HoistBase
public import HoistCore

/// One environment of LaunchDarkly: one mobile key, one client. It owns one object per concern.
///
/// State belongs to the scheduler's thread; what evaluating threads use is immutable or guards itself.
public final class LaunchDarklyProvider: @unchecked Sendable {
  private(set) var host: (any ProviderHost)?
  let settings: LaunchDarklySettings
  let generatedKeys: GeneratedKeys
  let flags: ServedFlags
  let observers: ChangeObservers
  let events: EventRecorder
  let connection: ConnectionState
  let synchronizer: Synchronizer
  let online: OnlineSwitch
  let identifying: IdentifyQueue
  /// Everything that takes part in the client's life, in the order of its beginning.
  private let parts: [any LaunchDarklyPart]

  init(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) {
    let settings = try LaunchDarklySettings(values)
    self.settings = settings
    self.host = host
    generatedKeys = GeneratedKeys(host: host)
    flags = ServedFlags(host: host)
    observers = ChangeObservers(host: host)
    events = EventRecorder(host: host, settings: settings)
    connection = ConnectionState(host: host)
    synchronizer = Synchronizer(host: host, settings: settings, connection: connection)
    online = OnlineSwitch(host: host, settings: settings, synchronizer: synchronizer)
    identifying = IdentifyQueue(host: host)
    parts = [generatedKeys, observers, events, connection, synchronizer, online, identifying]
    synchronizer.delegate = self
    identifying.delegate = self
    flags.serveNone()
  }
}

/// The life cycle, on the scheduler's thread.
extension LaunchDarklyProvider: Provider {
  public func start() {
    for part in parts { part.start() }
  }

  public func stop() {
    for part in parts.reversed() { part.stop() }
  }

  public func setOnline(_ isOnline: Bool) { online.set(isOnline) { _ in } }

  public func refresh() { synchronizer.refresh() }

  public func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    identifying.add(context, completion: completion)
  }

  public func flush(completion: @escaping @Sendable (Status) -> Void) {
    flush(parts[...], allSent: true, completion)
  }

  private func flush(
    _ rest: ArraySlice<any LaunchDarklyPart>, allSent: Bool, _ completion: @escaping @Sendable (Status) -> Void
  ) {
    guard let part = rest.first else { return completion(allSent ? .ok : .network) }
    part.flush { [self] isSent in flush(rest.dropFirst(), allSent: allSent && isSent, completion) }
  }

  public func forgetCountsAfterFork() {}

  public func abandonAfterFork() {
    for part in parts { part.abandonAfterFork() }
  }

  public func detach() {
    stop()
    host = nil
  }

  public var statistics: [(group: String, name: String, value: Int64)] { parts.flatMap(\.statistics) }
}
