internal import HoistCore

/// Changes the context, on the scheduler's thread; `completion` runs once.
protocol IdentifyDelegate: AnyObject {
  func run(_ request: IdentifyRequest, completion: @escaping @Sendable (Status) -> Void)
}

/// Changes of the context, one at a time (5.5; LD-20 to LD-23): of those that wait and may be shed only the newest stays.
/// One queue for all environments: the first one's. On the scheduler's thread.
final class IdentifyQueue: ClientPart, @unchecked Sendable {
  /// From here on hosts are warned of limits that long (LD-23).
  private static let longTimeoutMilliseconds: Int64 = 15_000

  private let scheduler: any Scheduler
  private let log: Log
  weak var delegate: (any IdentifyDelegate)?
  private var queue = SheddingQueue<IdentifyRequest>()
  private var isAdvancing = false
  /// The one that came last, until it has ended.
  private var newest: IdentifyRequest?
  var inFlight: IdentifyRequest? { queue.inFlight }

  init(scheduler: any Scheduler, log: Log) {
    self.scheduler = scheduler
    self.log = log
  }

  /// - Parameter timeoutMilliseconds: after these `done` is told at the latest, while the change goes on; negative: no limit.
  func add(_ request: IdentifyRequest, timeoutMilliseconds: Int64 = -1) {
    if timeoutMilliseconds >= 0 { limit(request, timeoutMilliseconds) }
    newest = request
    switch queue.add(request, isSheddable: request.isSheddable) {
    case .begins: advance()
    case .waits: break
    case .sheds(let former): former.end(.launchDarklyShed)
    case .refused:
      newest = nil
      request.end(.limit)
    }
  }

  /// For another environment, which the newest change is for, too.
  func joinNewest(_ done: @escaping @Sendable (Status) -> Void) {
    if let newest { newest.ending.tell(done) } else { done(.ok) }
  }

  private func limit(_ request: IdentifyRequest, _ milliseconds: Int64) {
    if milliseconds > Self.longTimeoutMilliseconds {
      log.warning("identify: a timeout of \(milliseconds) ms is long; recommended is less than \(Self.longTimeoutMilliseconds)")
    }
    request.answer.limit(scheduler, milliseconds: milliseconds) { [log] in
      log.info("identify: not done after \(milliseconds) ms; it goes on")
    }
  }

  /// Runs what is in flight; a loop, as changes may be done at once, one after the other.
  private func advance() {
    guard !isAdvancing else { return }
    isAdvancing = true
    var begun: IdentifyRequest?
    while let request = inFlight, request !== begun {
      begun = request
      run(request)
    }
    isAdvancing = false
  }

  private func run(_ request: IdentifyRequest) {
    guard let delegate else { return end(request, .cancelled) }
    delegate.run(request) { [weak self] status in
      if let self { self.end(request, status) } else { request.end(status) }
    }
  }

  private func end(_ request: IdentifyRequest, _ status: Status) {
    if newest === request { newest = nil }
    let isInTime = request.end(status)
    guard inFlight === request else { return }
    if !isInTime { log.info("identify: done after its timeout (status \(status.rawValue))") }
    if queue.finish() != nil { advance() }
  }

  /// The client closes: all waiting calls are completed.
  func stop() {
    newest = nil
    for request in queue.takeAll() { request.end(.cancelled) }
  }

  /// The waiting requests are the parent's.
  func abandonAfterFork() {
    newest = nil
    _ = queue.takeAll()
  }
}
