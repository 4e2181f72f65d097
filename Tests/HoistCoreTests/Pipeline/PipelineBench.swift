import HoistBase
@testable import HoistCore
import HoistJSON
import HoistTestSupport

/// A policy that sends payloads as text, joined by commas, and does as the test says.
final class PlainPolicy: EventPolicy, @unchecked Sendable {
  var limits = BatchLimits()
  var admitted: @Sendable (EventRow) -> Bool = { _ in true }
  var verdict: (@Sendable (Result<HTTPResponse, TransportFailure>, EventBatch) -> EventVerdict)?
  var encoding: (@Sendable (EventBatch) throws(JSONFailure) -> EventEncoding)?
  var length: (@Sendable ([EventRow]) -> Int)?
  var beforeFlush: (@Sendable (EventPipeline) -> Void)?
  var form: (@Sendable (ByteView) -> [UInt8])?
  var preparing: (@Sendable (HTTPRequest, @escaping @Sendable (HTTPRequest?) -> Void) -> Void)?
  let batches = Record<EventBatch>()
  let deliveries = Record<String>()
  var awaiting: @Sendable (EventRow) -> Bool = { _ in false }
  /// What else it was told, in order.
  let told = Record<String>()

  var batchLimits: BatchLimits { limits }
  func kept(_ recorded: ByteView) -> [UInt8] { form?(recorded) ?? Array(recorded) }
  func admits(_ row: EventRow) -> Bool { admitted(row) }
  func willFlush(_ pipeline: EventPipeline) { beforeFlush?(pipeline) }
  func batchLength(_ rows: [EventRow]) -> Int { length?(rows) ?? rows.count }
  func encode(_ batch: EventBatch) throws(JSONFailure) -> EventEncoding { try encoding?(batch) ?? .request(Self.request(batch)) }
  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    if let preparing { preparing(request, completion) } else { completion(request) }
  }
  func prepare(_ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    told.append("prepare \(batch.attempt): \(batch.text)")
    prepare(request, completion: completion)
  }
  func dropped(_ batch: EventBatch) { told.append("dropped \(batch.text)") }
  func awaitsConsent(_ row: EventRow) -> Bool { awaiting(row) }
  func divided(_ batch: EventBatch, into parts: [EventBatch]) { told.append("divided \(parts.map(\.text))") }
  func describe(_ row: EventRow) -> String { "text \(row.text)" }
  func adopted(_ rows: [EventRow]) { told.append("adopted \(rows.map(\.text))") }
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    batches.append(batch)
    return verdict?(answer, batch) ?? .standard(answer)
  }
  func delivered(_ batch: EventBatch) { deliveries.append(batch.text) }

  static func request(_ batch: EventBatch) -> HTTPRequest {
    HTTPRequest(method: "POST", url: "http://events.test/", body: Array(batch.text.utf8))
  }
}

extension EventBatch {
  var text: String { rows.map(\.text).joined(separator: ",") }
}

extension EventRow {
  var text: String { String(decoding: payload, as: UTF8.self) }
}

/// A pipeline with everything a test turns. Without a manager the store keeps nothing.
struct PipelineBench {
  let scheduler: ManualScheduler
  let clock: LeapingClock
  let transport: ScriptedTransport
  let policy = PlainPolicy()
  let lines = Record<String>()
  /// What observers of deliveries are told, by topic.
  let news = Record<String>()
  let notes = Record<HoistCore.Notification>()
  let store: Store
  let pipeline: EventPipeline

  init(
    manager: (any CacheManager)? = nil, seed: UInt64 = 1, share: Double? = 0.5, sink: (any EventSink)? = nil,
    scheduler: ManualScheduler = ManualScheduler(), storing: Store.Options = Store.Options(),
    change: (inout EventPipeline.Options) -> Void = { _ in }
  ) {
    self.scheduler = scheduler
    clock = LeapingClock(scheduler)
    transport = ScriptedTransport(scheduler: scheduler)
    let (lines, news, notes) = (lines, news, notes)
    let log = Log(threshold: .info, clock: clock) { level, message in lines.append("\(level) \(message)") }
    store = Store(
      manager: manager, log: log, clock: clock, scheduler: scheduler, entropy: SeededEntropy(seed: seed), options: storing)
    var options = EventPipeline.Options(name: "events")
    options.pace = RegularPace(interval: 0, limit: 300_000, base: 1_000, jitter: 0)
    if manager == nil { options.durability = .memory }
    change(&options)
    pipeline = EventPipeline(
      options: options, policy: policy, sink: sink ?? TransportEventSink(transport), store: store, log: log,
      clock: clock,
      scheduler: scheduler, entropy: SeededEntropy(seed: seed + 1_000, share: share)
    ) {
      news.append("\($0.topic)")
      notes.append($0)
    }
  }

  @discardableResult
  func record(_ texts: String..., subject: String = "") -> [EventPipeline.Outcome] {
    texts.map { pipeline.record($0, subject: subject, unixMilliseconds: clock.unixMilliseconds) }
  }

  func start() {
    scheduler.post { [pipeline] in pipeline.start() }
    settle()
  }

  /// Lets the store's lane and the scheduler come to rest.
  func settle() {
    let deadline = SystemClock().monotonicNanoseconds + 10_000_000_000
    repeat {
      scheduler.run()
      _ = store.lane.drain(untilNanoseconds: deadline)
    } while scheduler.pendingPostCount > 0
  }

  func advance(_ milliseconds: Int64, step: Int64 = 100) {
    settle()
    for passed in stride(from: 0, to: milliseconds, by: Int(step)) {
      scheduler.advance(milliseconds: min(step, milliseconds - Int64(passed)))
      settle()
    }
  }

  /// The bodies of all requests so far.
  var sent: [String] { transport.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) } }
  var counters: EventPipeline.Counters { pipeline.counters }

  /// Answers the oldest open request.
  func answer(_ status: Int, _ headers: [HTTPHeader] = []) {
    transport.open.first?.complete(.success(HTTPResponse(status: status, headers: headers)))
    settle()
  }

  /// Answers every request by its body while time passes.
  func answerAll(for milliseconds: Int64 = 60_000, _ status: (String) -> Int) {
    settle()
    var left = milliseconds
    while true {
      while let next = transport.open.first { answer(status(String(decoding: next.request.body ?? [], as: UTF8.self))) }
      guard left > 0 else { return }
      advance(100)
      left -= 100
    }
  }

  func fail() {
    transport.open.first?.complete(.failure(TransportFailure(.unreachable, "down")))
    settle()
  }

  /// Flushes, and tells what came of it, if anything has.
  func flush() -> [Bool] {
    let answers = Record<Bool>()
    pipeline.flush { answers.append($0 == .accepted) }
    settle()
    return answers.all
  }

  /// The same, in full.
  func flushed() -> FlushResult? {
    let answers = Record<FlushResult>()
    pipeline.flush { answers.append($0) }
    settle()
    return answers.all.last
  }

  var warnings: [String] { lines.all.filter { $0.hasPrefix("warning") } }
}
