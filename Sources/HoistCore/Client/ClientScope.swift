internal import HoistBase

/// What all environments of a group share: one store, one network, and lanes that call the host one call at a time.
final class ClientScope: Sendable {
  let name: String
  let transport: any Transport
  let store: Store
  let callbacks: CallbackDispatcher
  /// For plug-ins whose results the client waits for: header providers.
  let pluginLane: Lane
  /// Its own, so that a slow observer does not silence the log.
  let logLane: Lane
  /// Which lines of the group's logs are written.
  let logThreshold: LogThreshold
  private let makeLog: @Sendable (String) -> Log
  /// Stores of the providers' own.
  private let ownStores = LockedValue<[Store]>([])

  /// - Parameter values: the first environment's; they name the store.
  init(factory: any ProviderFactory, values: PropertyValues, plugins: Plugins, services: ClientServices) {
    name = values.text("name").isEmpty ? factory.name : values.text("name")
    let isManual = values.text("dispatch") == "manual"
    let callbacks = CallbackDispatcher(lane: "hoist-deliver", isManual: isManual, services: services)
    let logLane = Lane(options: .init(name: "hoist-log"), clock: services.clock, scheduler: services.scheduler)
    let (sink, isBuiltIn) = (plugins.logSink ?? services.defaultLogSink, plugins.logSink == nil)
    let threshold = LogThreshold(factory.logLevels(values))
    logThreshold = threshold
    let clock = services.clock
    makeLog = { title in
      Log(threshold: threshold, clock: clock) { level, message in
        let write: @Sendable () -> Void = { sink.write(level, "hoist[\(title)]: \(message)") }
        let isTaken = isManual ? callbacks.deliver(write) : logLane.perform(write)
        // The host's own sink is called on the lane only.
        if !isTaken, isBuiltIn, logLane.lacksThread { write() }
      }
    }
    (self.callbacks, self.logLane) = (callbacks, logLane)
    pluginLane = Lane(options: .init(name: "hoist-plugin"), clock: services.clock, scheduler: services.scheduler)
    let log = makeLog(name)
    transport = LoggedTransport(
      plugins.transport ?? services.makeTransport(NetworkOptions(values, userAgent: "hoist/\(HoistVersion.text)")), log: log,
      clock: clock)
    let manager =
      plugins.cacheManager
      ?? services.makeCacheManager(StoreRequest(factory: factory, values: values, plugins: plugins, log: log))
    store = Store(
      manager: manager, log: log, clock: services.clock, scheduler: services.scheduler, options: Store.Options(values))
  }

  func log(named title: String) -> Log { makeLog(title) }

  func addStore(_ own: Store) -> Store {
    ownStores.withLock { $0.append(own) }
    return own
  }

  private var allStores: [Store] {
    @inline(never) get { ownStores.withLock { $0 } + [store] }
  }

  func takeNoMore() { for store in allStores { store.takeNoMore() } }

  /// One after the other, within one limit.
  func closeStores(untilNanoseconds deadline: Int64) -> Bool {
    allStores.map { $0.close(untilNanoseconds: deadline) }.allSatisfy { $0 }
  }

  /// Likewise.
  func settleStores(untilNanoseconds deadline: Int64) -> Bool {
    for store in allStores where !store.settle(untilNanoseconds: deadline) { return false }
    return true
  }

  func reopenStores() { for store in allStores { store.reopen() } }
}
