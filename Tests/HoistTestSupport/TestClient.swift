internal import Glibc
internal import HoistBase
public import HoistCore
internal import Testing

/// A whole client over a scripted network and a clock that stands still. It ends with this.
public final class TestClient: @unchecked Sendable {
  public let scheduler: ManualScheduler
  public let transport: ScriptedTransport
  public let log: RecordingLogSink
  public let client: Client

  /// - Parameters:
  ///   - properties: over the defaults; the later of two with one name wins.
  ///   - makeCacheManager: nil keeps nothing.
  ///   - seed: two processes on one store draw differently.
  ///   - share: see `SeededEntropy`.
  ///   - process: goes by the scheduler; nil for that itself.
  public init(
    _ factory: any ProviderFactory, _ properties: [String: String]..., plugins: Plugins = Plugins(),
    scheduler: ManualScheduler = ManualScheduler(), transport: ScriptedTransport? = nil,
    log: RecordingLogSink = RecordingLogSink(), regex: (any RegexEngine)? = nil, seed: UInt64 = 7,
    share: Double? = 0.5, process: (any Scheduler)? = nil,
    makeCacheManager: @escaping @Sendable (StoreRequest) -> (any CacheManager)? = { _ in nil }
  ) throws {
    let transport = transport ?? ScriptedTransport(scheduler: process ?? scheduler)
    (self.scheduler, self.transport, self.log) = (scheduler, transport, log)
    let merged = properties.reduce([:]) { $0.merging($1) { $1 } }
    client = try Client(
      factory: factory, values: TestHost.values(merged, table: factory.properties), plugins: plugins,
      services: ClientServices(
        scheduler: process ?? scheduler, clock: scheduler, entropy: SeededEntropy(seed: seed, share: share), regex: regex,
        makeTransport: { _ in transport }, makeCacheManager: makeCacheManager, defaultLogSink: log))
  }

  deinit {
    client.dispose()
    // The last work is done on the scheduler's thread: without it the client stays for ever.
    scheduler.run()
  }

  public func open() {
    client.open()
    scheduler.run()
  }

  /// Runs what is due until `isDone`, and what is delivered by `dispatch`; stores and lanes answer from threads of their
  /// own, which a busy machine may keep waiting.
  @discardableResult
  public func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) -> Bool {
    scheduler.settle(file: file, line: line) {
      _ = client.dispatch(limit: 100)
      return isDone()
    }
  }
}

extension TestClient {
  /// Lets time pass when the store has answered what it was asked: on a busy machine the limits of its calls would be over
  /// before its thread had its turn.
  public func advanceAfterStore(milliseconds: Int64) {
    _ = client.store.lane.drain(untilNanoseconds: SystemClock().monotonicNanoseconds + 20_000_000_000)
    scheduler.advance(milliseconds: milliseconds)
  }
}

extension ManualScheduler {
  /// Runs what is due until `isDone`, with a patience of twenty seconds for threads that answer. The test has failed when
  /// it does not come to that: one that waits in vain and goes on shows nothing.
  /// - Returns: whether it came to that.
  @discardableResult
  public func settle(file: String = #fileID, line: Int = #line, until isDone: () -> Bool) -> Bool {
    for _ in 0..<80_000 {
      run()
      if isDone() { return true }
      usleep(250)
    }
    Issue.record(
      "waited in vain", sourceLocation: SourceLocation(fileID: file, filePath: file, line: line, column: 1))
    return false
  }

  /// Runs a call that waits for this scheduler, while a thread turns it.
  public func turning<Result>(while body: () -> Result) -> Result {
    let isDone = Locked(false)
    let thread = HostThread {
      while !isDone.value {
        self.run()
        usleep(100)
      }
    }
    defer {
      isDone.value = true
      thread.join()
    }
    return body()
  }
}
