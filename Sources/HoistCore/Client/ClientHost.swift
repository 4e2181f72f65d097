internal import HoistBase

/// The client as its provider sees it. It holds the client weakly: the client holds the provider, and both go when the
/// host frees its handle. What a provider asks of a client that is gone has no effect.
final class ClientHost: ProviderHost, @unchecked Sendable {
  private(set) weak var client: Client?
  let scheduler: any Scheduler
  let transport: any Transport
  let clock: any Clock
  let entropy: any Entropy
  let regex: (any RegexEngine)?
  let log: Log
  let plugins: Plugins
  let store: Store
  let delivery: any EventSink
  let compiler: DocumentCompiler

  init(_ client: Client) {
    self.client = client
    scheduler = client.scheduler
    transport = client.transport
    clock = client.clock
    entropy = client.entropy
    regex = client.regex
    log = client.log
    plugins = client.plugins
    store = client.store
    delivery = client.delivery
    compiler = client.compiler
  }

  func note(_ pipeline: EventPipeline) { client?.forwarding.add(pipeline, transport) }

  var builtInTransport: any Transport { client?.builtInTransport ?? transport }
  var fetchSharing: FetchSharing? { client.flatMap { FetchSharing($0.values) } }
  var environment: String { client?.environment ?? "" }
  var isOnline: Bool { client?.isOnline ?? false }
  var currentContext: ContextReference? { client?.currentContext }
  func setCurrentContext(_ context: ContextReference) { client?.setCurrentContext(context) }

  var providersOfGroup: [any Provider] { client?.providersOfGroup ?? [] }

  func store(over manager: any CacheManager) -> Store {
    client?.store(over: manager)
      ?? Store(manager: manager, log: log, clock: clock, scheduler: scheduler, entropy: entropy)
  }

  func noteExcess(of name: String) { client?.noteExcess(of: name) }

  func publish(_ snapshot: Snapshot, changed: [String]) {
    guard let client else { return snapshot.destroy() }
    client.publish(snapshot, changed: changed)
  }

  func publish(_ patch: SnapshotPatch, changed: [String]) -> Bool {
    if let client { return client.publish(patch, changed: changed) }
    if patch.isCopy { patch.snapshot.destroy() }
    return true
  }

  func drainCounts(
    _ body: (_ snapshot: Snapshot, _ record: UnsafeRawPointer, _ cell: UInt32, _ count: UInt64) -> Void
  ) {
    client?.drainCounts(body)
  }

  func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result {
    guard let client else { return body(nil) }
    return client.withSnapshot(body)
  }

  func withPinnedSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result {
    guard let client else { return body(nil) }
    return client.withPinnedSnapshot(body)
  }

  func report(_ report: LifeReport) { client?.report(report) }
  func beginContextChange() { client?.beginContextChange() }
  func takeUpContextChange() { client?.takeUpContextChange() }
  func awaitContext() { client?.awaitContext() }
  func endContextChange(_ status: Status) { client?.endContextChange(status) }
  func notify(_ notification: Notification) { client?.notify(notification) }

  func dynamicHeaders(
    from provider: (any HeaderProvider)?, for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void
  ) {
    guard let client else { return completion([]) }
    client.dynamicHeaders(from: provider, for: url, completion: completion)
  }

  func onPluginLane(_ work: @escaping @Sendable () -> Void) { client?.onPluginLane(work) }
  func onDeliveryLane(_ call: @escaping @Sendable () -> Void) { client?.onDeliveryLane(call) }
}
