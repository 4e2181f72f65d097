internal import HoistBase
public import HoistCore

/// A running client of one service. Thread-safe; opened by `init`, ended by `close` or with its last reference.
///
/// Evaluations never block and never fail: when anything is wrong the default is returned, and `evaluate` says
/// why. The calls that wait return `.state` on a thread of the library's own, e.g. inside an observer.
public final class HoistClient: Sendable {
  let client: Client

  /// Checks the properties, starts the client and returns at once; nothing has been fetched yet.
  ///
  /// - Parameters:
  ///   - provider: e.g. "unleash".
  ///   - properties: as for `hoist_config_set`; lists and objects as JSON text.
  public convenience init(
    _ provider: String, _ properties: [String: String] = [:], plugins: HoistPlugins = HoistPlugins()
  ) throws(HoistError) {
    try self.init(provider, properties, plugins, BuiltInServices.shared)
  }

  /// For tests: a client on other parts than the built-in ones.
  init(
    _ provider: String, _ properties: [String: String], _ plugins: HoistPlugins, _ services: ClientServices
  ) throws(HoistError) {
    guard let factory = Providers.factory(named: provider) else {
      let known = Providers.names.joined(separator: ", ")
      throw HoistError(property: "", message: "unknown provider \"\(provider.prefix(80))\"; known: \(known)")
    }
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    do throws(ConfigurationFailure) {
      for (name, text) in properties.sorted(by: { $0.key < $1.key }) { try values.set(name, text) }
      let all = try plugins.loading(values, for: provider)
      client = try Client(factory: factory, values: values, plugins: all, services: services)
    } catch {
      throw HoistError(property: error.property, message: error.message)
    }
    client.open()
  }

  deinit { client.dispose() }

  public var state: HoistState { client.state }
  public var isOnline: Bool { client.isOnline }
  /// Counters as a JSON object of groups.
  public var statistics: String { String(decoding: client.statisticsJSON(), as: UTF8.self) }

  /// Waits until there are flags to serve. nil waits without limit.
  /// - Returns: `.ok`; `.timeout`: go on, defaults serve; `.network`: the service refuses the client; `.cancelled`:
  ///   closed meanwhile.
  @discardableResult
  public func waitReady(within limit: Duration? = .seconds(5)) -> HoistStatus {
    client.waitReady(timeoutMilliseconds: Self.milliseconds(limit))
  }

  /// Switches all network use off or on. Offline, flags stay readable and events are kept.
  @discardableResult
  public func setOnline(_ online: Bool) -> HoistStatus { client.setOnline(online) }

  /// Fetches now; does not wait.
  @discardableResult
  public func refresh() -> HoistStatus { client.refresh() }

  /// Changes the client's current context; nil means an empty one.
  /// - Parameter done: called once, on the client's delivery lane, if the result is `.ok`: with `.ok` when the
  ///   flags of this context are there.
  @discardableResult
  public func identify(_ context: HoistContext?, done: (@Sendable (HoistStatus) -> Void)? = nil) -> HoistStatus {
    client.identify(context?.reference, completion: done)
  }

  /// `identify` that waits; after `.timeout` the change goes on in the background.
  public func identify(_ context: HoistContext?, within limit: Duration) -> HoistStatus {
    client.identifyAndWait(context?.reference, timeoutMilliseconds: Self.milliseconds(limit))
  }

  /// Records an event; it is delivered in the background.
  /// - Parameter context: nil for the client's current one.
  /// - Returns: `.ok`: recorded. `.limit`: the queue is full, the event is dropped and counted.
  @discardableResult
  public func track(
    _ event: String, for context: HoistContext? = nil, value: Double? = nil, properties: [String: HoistValue] = [:]
  ) -> HoistStatus {
    if event.isEmpty { return client.refuse(nil, .argument, "its key is empty") }
    if value?.isFinite == false { return client.refuse(event, .argument, "its value is no finite number") }
    return client.track(
      TrackedEvent(
        key: event, context: context?.reference ?? client.currentContext, value: value,
        properties: properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value.attribute) },
        unixMilliseconds: client.clock.unixMilliseconds))
  }

  /// Sends what is recorded and waits for the answers.
  @discardableResult
  public func flush(within limit: Duration) -> HoistStatus {
    client.flush(timeoutMilliseconds: Self.milliseconds(limit))
  }

  /// Flushes and stops within the limit; zero stops without flushing. May be repeated.
  /// - Returns: `.timeout` when something was still under way; it is kept in the store.
  @discardableResult
  public func close(within limit: Duration = .seconds(3)) -> HoistStatus {
    client.close(timeoutMilliseconds: Self.milliseconds(limit))
  }

  /// Starts a closed client again; observers have to be registered anew.
  @discardableResult
  public func reopen() -> HoistStatus { client.reopen() }

  /// Rounded up, so that a short wait is not none; -1 for no limit.
  static func milliseconds(_ limit: Duration?) -> Int64 {
    guard let limit else { return -1 }
    guard limit > .zero else { return 0 }
    let (seconds, attoseconds) = limit.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let part = attoseconds / 1_000_000_000_000_000 + (attoseconds % 1_000_000_000_000_000 == 0 ? 0 : 1)
    let (sum, beyond) = whole.addingReportingOverflow(part)
    return overflow || beyond ? .max : sum
  }
}
