internal import HoistCore

/// Changes the context, on the scheduler's thread; `completion` runs once.
protocol IdentifyDelegate: AnyObject {
  func run(_ request: IdentifyRequest, completion: @escaping @Sendable (Status) -> Void)
}

/// Changes of the context, one at a time (5.5; LD-20 to LD-23): of those that wait and may be shed only the newest stays.
/// One queue for all environments: the first one's. On the scheduler's thread.
final class IdentifyQueue: LaunchDarklyPart, @unchecked Sendable {
  /// From here on hosts are warned of limits that long (LD-23).
  private static let longTimeoutMilliseconds: Int64 = 15_000

  private let scheduler: any Scheduler
  private let log: Log
  weak var delegate: (any IdentifyDelegate)?
  private(set) var inFlight: IdentifyRequest?
  private(set) var waiting: [IdentifyRequest] = []
  /// Wishes that cannot be shed and wait; more are refused.
  private static let capacity = 10_000

  init(scheduler: any Scheduler, log: Log) {
    self.scheduler = scheduler
    self.log = log
  }

  /// - Parameter timeoutMilliseconds: after these `done` is told at the latest, while the change goes on; 0: no limit.
  func add(_ request: IdentifyRequest, timeoutMilliseconds: Int64 = 0) {
    if timeoutMilliseconds > 0 { limit(request, timeoutMilliseconds) }
    guard inFlight != nil else { return run(request) }
    if let last = waiting.last, last.isSheddable {
      waiting.removeLast()
      last.finish(.launchDarklyShed)
    }
    guard waiting.count < Self.capacity else { return _ = request.finish(.limit) }
    waiting.append(request)
  }

  private func limit(_ request: IdentifyRequest, _ milliseconds: Int64) {
    if milliseconds > Self.longTimeoutMilliseconds {
      log.warning("identify: a timeout of \(milliseconds) ms is long; recommended is less than \(Self.longTimeoutMilliseconds)")
    }
    _ = scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in
      if request.finish(.timeout) { self?.log.info("identify: not done after \(milliseconds) ms; it goes on") }
    }
  }

  private func run(_ request: IdentifyRequest) {
    guard let delegate else { return _ = request.finish(.cancelled) }
    inFlight = request
    delegate.run(request) { [weak self] status in
      let isInTime = request.finish(status)
      guard let self, self.inFlight === request else { return }
      if !isInTime { self.log.info("identify: done after its timeout (status \(status.rawValue))") }
      self.inFlight = nil
      if !self.waiting.isEmpty { self.run(self.waiting.removeFirst()) }
    }
  }

  /// The client closes: nobody is kept waiting.
  func stop() { for request in takeAll() { request.finish(.cancelled) } }

  /// Those who wait are the parent's.
  func abandonAfterFork() { _ = takeAll() }

  private func takeAll() -> [IdentifyRequest] {
    let all = (inFlight.map { [$0] } ?? []) + waiting
    inFlight = nil
    waiting = []
    return all
  }
}
