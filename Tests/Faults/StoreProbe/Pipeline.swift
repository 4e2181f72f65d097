import Glibc
import HoistBase
import HoistCore
import HoistCurl
import HoistSQLite

/// Sends every record as a line of text.
final class LinePolicy: EventPolicy {
  let rowsAtOnce: Int
  init(rowsAtOnce: Int) { self.rowsAtOnce = rowsAtOnce }
  var batchLimits: BatchLimits { BatchLimits(rows: rowsAtOnce) }
  func encode(_ batch: EventBatch) -> EventEncoding {
    let lines = batch.rows.map { String(decoding: $0.payload, as: UTF8.self) + "\n" }.joined()
    return .request(HTTPRequest(method: "POST", url: "file:", body: Array(lines.utf8)))
  }
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    .failed(FetchFailure(.network, ""))
  }
}

/// The service: a file that lines are appended to, each batch by one write.
final class FileSink: EventSink {
  let descriptor: Int32
  init(path: String) { descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
  func deliver(_ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void) -> (any Cancellable)? {
    let body = delivery.request.body ?? []
    let written = body.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    completion(written == body.count ? .taken : .failed("the file is not writable"))
    return nil
  }
}

/// A pipeline over the real store and the real network thread.
struct ProbePipeline {
  let store: Store
  let pipeline: EventPipeline

  init(folder: String, sink: any EventSink, durability: EventPipeline.Durability) {
    let clock = SystemClock()
    let log = Log(threshold: LogThreshold(.upTo(.warning)), clock: clock) { level, message in report("\(level) \(message)") }
    let manager = SQLiteCacheManager(options: .init(folder: folder, vendor: "probe", keyDigest: "01"), clock: clock)
    store = Store(manager: manager, log: log, clock: clock, scheduler: NetworkLoop.shared)
    var options = EventPipeline.Options(name: "events")
    options.durability = durability
    options.flushIntervalMilliseconds = 0
    options.adoptionIntervalMilliseconds = 50
    pipeline = EventPipeline(
      options: options, policy: LinePolicy(rowsAtOnce: 3), sink: sink, store: store, log: log, clock: clock,
      scheduler: NetworkLoop.shared)
  }

  func record(_ text: String, subject: String = "") -> EventPipeline.Outcome {
    pipeline.record(text, subject: subject, unixMilliseconds: SystemClock().unixMilliseconds)
  }

  func start() { NetworkLoop.shared.post { [pipeline] in pipeline.start() } }

  /// Ends as a client does. Returns whether nothing was left.
  func close() -> Bool {
    let (answer, stopped) = (Completion<Bool>(), Completion<Bool>())
    pipeline.flush { answer.give($0 == .accepted) }
    let deadline = SystemClock().monotonicNanoseconds + 20_000_000_000
    let flushed = answer.wait(untilNanoseconds: deadline) ?? false
    NetworkLoop.shared.post { [pipeline] in
      pipeline.stop()
      stopped.give(true)
    }
    _ = stopped.wait(untilNanoseconds: deadline)
    return store.close(untilNanoseconds: deadline) && flushed
  }
}

func runPipeline(_ command: String, folder: String, count: Int, sink: String) {
  let durability: EventPipeline.Durability = command == "record-periodic" ? .periodic : .immediate
  let probe = ProbePipeline(folder: folder, sink: FileSink(path: sink), durability: durability)
  switch command {
  case "record", "record-periodic":
    // Never delivers: what was reported as stored is for the next process.
    for number in 0..<count { report("\(probe.record("\(getpid())-\(number)")) \(getpid())-\(number)") }
    if command == "record-periodic" {
      usleep(600_000)
      report("slept")
      while true { pause() }
    }
  case "record-closed":
    // Ends as a client that has never been online.
    for number in 0..<count { _ = probe.record("\(getpid())-\(number)") }
    _ = probe.close()
    for number in 0..<count { report("stored \(getpid())-\(number)") }
  case "deliver":
    // Delivers what it finds, until nothing has come for a while.
    probe.start()
    var still = 0
    var last = -1
    while still < 10 {
      usleep(20_000)
      let now = probe.pipeline.counters
      still = now.delivered == last && now.waiting == 0 && now.inFlight == 0 ? still + 1 : 0
      last = now.delivered
    }
    report("closed \(probe.close())")
  case "both":
    // Records and delivers, beside others on the same file.
    probe.start()
    for number in 0..<count {
      report("\(probe.record("\(getpid())-\(number)")) \(getpid())-\(number)")
      if number % 7 == 0 { usleep(1_000) }
    }
    report("closed \(probe.close())")
  case "fork":
    // Records, forks in the middle, and goes on on both sides.
    probe.start()
    for number in 0..<count { report("\(probe.record("parent-\(number)")) parent-\(number)") }
    let child = forkNow()
    let name = child == 0 ? "child" : "parent-later"
    if child == 0 { probe.start() }
    for number in 0..<count { report("\(probe.record("\(name)-\(number)")) \(name)-\(number)") }
    report("closed \(probe.close())")
    var status: Int32 = 0
    if child != 0 { waitpid(child, &status, 0) }
  default:
    exit(64)
  }
}

/// Swift hides the function's name, not the function.
private func forkNow() -> pid_t {
  guard let symbol = dlsym(nil, "fork") else { exit(70) }
  return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
}
