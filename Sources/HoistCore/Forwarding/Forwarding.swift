internal import HoistBase

/// Brings batches that other processes have recorded to the service, by pipelines that keep nothing but in memory. Everything but
/// the account is the scheduler thread's.
final class Forwarding: @unchecked Sendable {
  /// Batches and bytes of them that may be under way.
  private static let mostBatches = 1_000
  private static let mostBytes = 32 << 20
  private static let batchesAtOnce = 8

  private final class Target {
    let policy: any EventPolicy
    let pace: any FetchPace
    let sink: any EventSink
    weak var pipeline: EventPipeline?
    /// Made with the first batch.
    var line: (pipeline: EventPipeline, policy: ForwardPolicy)?

    init(_ pipeline: EventPipeline, _ sink: any EventSink) {
      (policy, pace, self.sink) = (pipeline.policy, pipeline.options.pace, sink)
      self.pipeline = pipeline
    }
  }

  private struct Account: Sendable {
    var batches = 0
    var bytes = 0
    var accepted = 0
    var rejected = 0
    var returned = 0
  }

  /// What is sent to the service here, by name: set while the client is made, then only read.
  private var targets: [String: Target] = [:]
  private let account = LockedValue(Account())

  /// A pipeline of the client's own: what other processes have recorded for its like goes the same way, but never to a
  /// dispatcher, where it may have come from.
  func add(_ pipeline: EventPipeline, _ transport: any Transport) {
    let sink = pipeline.sink is ClientEventSink ? TransportEventSink(transport) : pipeline.sink
    targets[pipeline.options.name] = Target(pipeline, sink)
  }

  // MARK: Any thread

  /// Room for a batch; a large one has it when nothing else is under way.
  func reserve(_ bytes: Int) -> Bool {
    account.withLock { account in
      guard account.batches == 0 || account.batches < Self.mostBatches && account.bytes + bytes <= Self.mostBytes else {
        return false
      }
      account.batches += 1
      account.bytes += bytes
      return true
    }
  }

  func settle(_ bytes: Int, _ status: Status) {
    account.withLock { account in
      account.batches = max(0, account.batches - 1)
      account.bytes = max(0, account.bytes - bytes)
      switch status {
      case .ok: account.accepted += 1
      case .rejected: account.rejected += 1
      default: account.returned += 1
      }
    }
  }

  /// Nothing, unless something was forwarded.
  var statistics: [(group: String, name: String, value: Int64)] {
    let account = account.withLock { $0 }
    guard account.batches + account.accepted + account.rejected + account.returned > 0 else { return [] }
    return [
      ("forwarded", "accepted", Int64(account.accepted)), ("forwarded", "rejected", Int64(account.rejected)),
      ("forwarded", "returned", Int64(account.returned)), ("forwarded", "waiting", Int64(account.batches)),
    ]
  }

  /// In a forked child: what is under way is the parent's.
  func forgetAccount() { account.withLock { $0 = Account() } }

  // MARK: The scheduler's thread

  /// - Parameter tell: runs once, unless the process forks.
  func take(_ batch: ForwardedBatch, for client: Client, _ tell: @escaping ForwardPolicy.Tell) {
    guard let target = targets[batch.pipeline] else {
      return tell(Self.foreign("the client has no pipeline \"\(batch.pipeline)\""))
    }
    switch target.policy.forwarded(batch) {
    case .later(let reason): tell(ForwardResult(status: .network, message: reason))
    case .unsupported:
      tell(ForwardResult(status: .unsupported, message: "what \"\(batch.pipeline)\" sends cannot be forwarded"))
    case .request(let request, let division):
      guard request.method == batch.method, request.shownPath == batch.path else {
        return tell(Self.foreign("\"\(batch.pipeline)\" sends \(request.method) \(request.shownPath)"))
      }
      let line = line(batch.pipeline, target, client)
      guard let rows = try? line.policy.take(batch, division, tell) else {
        return tell(ForwardResult(status: .network, message: "out of memory"))
      }
      for row in rows { line.pipeline.record(row, subject: "", unixMilliseconds: client.clock.unixMilliseconds) }
    }
  }

  static let closed = ForwardResult(status: .cancelled, message: "the client is closed")

  static func foreign(_ reason: String) -> ForwardResult {
    ForwardResult(status: .argument, message: "the batch is none of this client's: \(reason)")
  }

  private func line(_ name: String, _ target: Target, _ client: Client) -> (pipeline: EventPipeline, policy: ForwardPolicy) {
    if let line = target.line { return line }
    var options = EventPipeline.Options(name: "forwarded \(name)")
    // The account has the limits.
    (options.maximumRows, options.maximumBytes, options.maximumRowBytes) = (.max / 2, .max / 2, .max / 2)
    options.durability = .memory
    options.flushIntervalMilliseconds = 0
    options.maximumInFlight = Self.batchesAtOnce
    options.pace = target.pace
    let policy = ForwardPolicy(target.policy)
    let pipeline = EventPipeline(
      options: options, policy: policy, sink: target.sink, store: client.store, log: client.log,
      clock: client.clock, scheduler: client.scheduler, entropy: client.entropy
    ) { [weak client] in client?.notify($0) }
    pipeline.setHold(.offline, !client.isOnline)
    pipeline.setHold(.silenced, target.pipeline?.state.holds.contains(.silenced) ?? false)
    target.pipeline?.forwarded = pipeline
    pipeline.start()
    target.line = (pipeline, policy)
    return (pipeline, policy)
  }

  func setOnline(_ isOnline: Bool) { for target in targets.values { target.line?.pipeline.setHold(.offline, !isOnline) } }

  /// The client has closed: nothing is sent any more.
  func giveUp() {
    for target in targets.values {
      guard let line = target.line else { continue }
      target.line = nil
      line.pipeline.stop()
      line.policy.giveUp(Self.closed)
    }
  }

  /// In a forked child.
  func abandonAfterFork() { for target in targets.values { target.line = nil } }
}

extension Client {
  /// Hashed from what its store is named by: the same for all clients of one service and key.
  var keyDigest: String { Hex.encode(SHA256.hash(factory.storeIdentity(values, plugins))) }

  /// Delivers a batch that another process has recorded, as the client's own are: it goes on until the service has accepted or
  /// refused it, or the client closes.
  /// - Parameter completion: as for `identify`; what was not accepted, and not refused, is the caller's again.
  public func forward(_ batch: ForwardedBatch, completion: @escaping @Sendable (ForwardResult) -> Void) -> Status {
    guard !isClosed else { return .state }
    resumeAfterFork()
    let bytes = batch.body.count
    guard forwarding.reserve(bytes) else { return .limit }
    let forwarding = forwarding
    let told = LockedValue(Forwarding.closed)
    let status = promise { status in
      var result = told.withLock { $0 }
      if status != result.status { result = Forwarding.closed }
      forwarding.settle(bytes, status)
      completion(result)
    } _: { tell in
      onScheduler { client in
        client.forwardNow(batch) { result in
          told.withLock { $0 = result }
          tell(result.status)
        }
      }
      return .ok
    }
    if status != .ok { forwarding.settle(bytes, status) }
    return status
  }

  private func forwardNow(_ batch: ForwardedBatch, _ tell: @escaping ForwardPolicy.Tell) {
    guard !isClosed else { return tell(Forwarding.closed) }
    guard batch.service == factory.name else {
      return tell(Forwarding.foreign("its service is \"\(batch.service)\", and the client's \"\(factory.name)\""))
    }
    guard let owner = companions.first(where: { $0.keyDigest == batch.keyDigest }) else {
      return tell(Forwarding.foreign("it was recorded with another key"))
    }
    owner.forwarding.take(batch, for: owner, tell)
  }
}
