internal import CShims
internal import HoistBase
internal import HoistCore

/// What a table says of one of its pipelines.
struct HostedPipelineOptions: Sendable {
  /// What else is counted under a name of its own.
  static let reservedNames = ["provider", "store", "observers", "plugins", "snapshots"]

  let name: String
  let flushIntervalMilliseconds: Int64
  let flushCount: Int
  let batchCount: Int
}

/// One queue of a provider's events.
final class HostedPipeline: ClientPart {
  let name: String
  private let client: any ProviderHost
  private let pipeline: EventPipeline

  init(
    _ wanted: HostedPipelineOptions, _ values: PropertyValues, _ client: any ProviderHost, _ instance: HostedInstance,
    _ lane: HostedLane
  ) {
    name = wanted.name
    self.client = client
    var options = EventPipeline.Options(name: wanted.name)
    options.maximumRows = Int(clamping: values.integer("events.capacity"))
    options.durability = .init(name: values.text("events.durability"))
    let interval = values.integer("events.flush_interval_ms")
    options.flushIntervalMilliseconds = interval > 0 ? interval : wanted.flushIntervalMilliseconds
    options.encodesEveryAttempt = true
    options.flushAtRows = wanted.flushCount > 0 ? wanted.flushCount : nil
    let policy = HostedEventPolicy(
      client, instance, lane, batchCount: wanted.batchCount > 0 ? wanted.batchCount : 500, HostedRequestLimits(values))
    options.pace = RegularPace(interval: 0, limit: values.integer("network.retry_max_ms"), base: 1_000, jitter: 1)
    options.keepsBatches = true
    pipeline = EventPipeline(options, policy: policy, host: client, sink: policy)
  }

  /// Any thread.
  func record(_ payload: ByteView, subject: ByteView) -> Status {
    // Only evaluations run inside a reading section, and they must not wait (G1).
    let slot = shim_enter()
    let isEvaluation = slot.pointee.depth > 1
    shim_leave(slot)
    return pipeline.record(
      payload, subject: subject, unixMilliseconds: client.clock.unixMilliseconds, waits: isEvaluation ? .never : .forCommit
    ).status
  }

  func start() {
    setOnline(client.isOnline)
    pipeline.start()
  }

  func stop() { pipeline.stop() }
  func setOnline(_ isOnline: Bool) { if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) } }
  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { pipeline.flush(completion: completion) }
  var statistics: [(group: String, name: String, value: Int64)] { pipeline.counters.listing(name) }
}

/// Has batches encoded, and their answers classified, by the plug-in. As it is asked on the lane, both come about where a
/// pipeline waits anyway: in the preparation of a request, and in its delivery. One batch is under way at a time.
///
/// What is not guarded is the scheduler thread's.
private final class HostedEventPolicy: EventPolicy, EventSink, @unchecked Sendable {
  /// Statuses that no service sends, for what the plug-in says of an answer.
  private enum Verdict {
    static let split = 1
    static let retry = 2
  }
  /// Marks a request that must not be sent: its rows are given up, for the reason that is stored as the address.
  private static let refusalMethod = ""
  private static let retryHeader = "after-ms"

  private let client: any ProviderHost
  private let instance: HostedInstance
  private let lane: HostedLane
  private let limits: HostedRequestLimits
  let batchLimits: BatchLimits
  private var underWay: EventBatch?

  init(
    _ client: any ProviderHost, _ instance: HostedInstance, _ lane: HostedLane, batchCount: Int,
    _ limits: HostedRequestLimits
  ) {
    self.client = client
    self.instance = instance
    self.lane = lane
    self.limits = limits
    batchLimits = BatchLimits(rows: batchCount, bytes: 8 << 20)
  }

  /// A place for the request: the plug-in makes it in `prepare`.
  func encode(_ batch: EventBatch) -> EventEncoding {
    underWay = batch
    var place = HTTPRequest(method: "POST", url: batch.id)
    place.timeoutMilliseconds = limits.timeoutMilliseconds
    return .request(place)
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    guard let batch = underWay, batch.id == request.url else { return completion(nil) }
    let (client, instance, limits) = (client, instance, limits)
    let isTaken = lane.perform("encode") {
      let made = HostedBatch.encode(batch, by: instance, limits)
      client.scheduler.post {
        switch made {
        case .success(let request): client.addDynamicHeaders(to: request) { completion($0) }
        case .failure(.argument):
          completion(HTTPRequest(method: Self.refusalMethod, url: "the provider cannot send them"))
        case .failure: completion(nil)
        }
      }
    }
    if !isTaken { completion(nil) }
  }

  func deliver(
    _ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void
  ) -> (any Cancellable)? {
    guard delivery.request.method != Self.refusalMethod else {
      completion(.refused(delivery.request.url))
      return nil
    }
    let (instance, lane, batch) = (instance, lane, underWay)
    return client.delivery.deliver(delivery) { answer in
      guard case .service(let result) = answer, let batch, instance.table.members.classify != nil else {
        return completion(answer)
      }
      let isTaken = lane.perform("classify") {
        completion(Self.answer(HostedBatch.classify(result, of: batch, by: instance)))
      }
      if !isTaken { completion(answer) }
    }
  }

  private static func answer(_ verdict: (status: Status, retryMilliseconds: Int64)) -> EventAnswer {
    switch verdict.status {
    case .ok: .taken
    case .argument: .refused("the provider gives them up")
    case .limit: .service(.success(HTTPResponse(status: Verdict.split)))
    default:
      .service(
        .success(
          HTTPResponse(
            status: Verdict.retry, headers: [HTTPHeader(retryHeader, String(max(0, verdict.retryMilliseconds)))])))
    }
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    if case .success(let response) = answer {
      switch response.status {
      case Verdict.split: return .split
      case Verdict.retry:
        let wait = response.headers.value(of: Self.retryHeader).flatMap { Int64($0) } ?? 0
        return .failed(FetchFailure(.network, "the provider has them tried again", retryAfterMilliseconds: wait > 0 ? wait : nil))
      default: break
      }
    }
    return .standard(answer)
  }
}

/// What requests of a client keep to.
struct HostedRequestLimits: Sendable {
  let timeoutMilliseconds: Int64
  let connectTimeoutMilliseconds: Int64
  let maximumResponseBytes: Int

  init(_ values: PropertyValues) {
    timeoutMilliseconds = values.integer("network.timeout_ms")
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    maximumResponseBytes = Int(clamping: values.integer("network.max_response_bytes"))
  }
}
