import HoistBase
@testable import HoistCore
import HoistTestSupport

/// A process's share of the one scheduler and clock: when it is killed, nothing of its work runs any more. Its lanes have no
/// threads: they run in turn with everything else, a moment later.
final class ProcessScheduler: Scheduler, @unchecked Sendable {
  private final class Work: Cancellable, @unchecked Sendable {
    var body: (@Sendable () -> Void)?
    var timer: (any Cancellable)?
    let forget: (Work) -> Void
    init(_ body: @escaping @Sendable () -> Void, forget: @escaping (Work) -> Void) { (self.body, self.forget) = (body, forget) }
    func run() {
      let work = body
      drop()
      work?()
    }
    func drop() {
      body = nil
      forget(self)
    }
    func cancel() {
      timer?.cancel()
      drop()
    }
  }

  let time: ManualScheduler
  private let dice: Dice
  private var work: [ObjectIdentifier: Work] = [:]
  private(set) var isAlive = true

  init(_ time: ManualScheduler, _ dice: Dice) { (self.time, self.dice) = (time, dice) }

  func post(_ body: @escaping @Sendable () -> Void) {
    guard let work = hold(body) else { return }
    time.post { work.run() }
  }

  func schedule(afterMilliseconds delay: Int64, _ body: @escaping @Sendable () -> Void) -> any Cancellable {
    guard let work = hold(body) else { return Work({}, forget: { _ in }) }
    work.timer = time.schedule(afterMilliseconds: delay) { work.run() }
    return work
  }

  func startThread(name: String, _ body: @escaping @Sendable (_ stays: Bool) -> Void) -> Bool {
    _ = schedule(afterMilliseconds: dice.milliseconds(0...3)) { body(false) }
    return true
  }

  private func hold(_ body: @escaping @Sendable () -> Void) -> Work? {
    guard isAlive else { return nil }
    let new = Work(body) { [weak self] in self?.work[ObjectIdentifier($0)] = nil }
    work[ObjectIdentifier(new)] = new
    return new
  }

  func kill() {
    isAlive = false
    for work in Array(work.values) { work.drop() }
  }

  var isCurrent: Bool { time.isCurrent }
  var standsInForItsThread: Bool { time.standsInForItsThread }
  var generation: UInt32 { time.generation }
}

/// The documents of the simulated service: "v" and a number, which only grows.
final class Documents: ConfigurationFormat, @unchecked Sendable {
  let given = GivenDocument(bytes: nil, path: "", property: "", limitBytes: 0)
  let name = "the document"
  private(set) var served: (number: Int, origin: ConfigurationOrigin)?
  /// Told of each that is served.
  var serves: (_ number: Int, _ former: Int?) -> Void = { _, _ in }

  static func number(_ document: [UInt8]) -> Int? {
    document.first == UInt8(ascii: "v") ? Int(String(decoding: document.dropFirst(), as: UTF8.self)) : nil
  }

  func compile(_ document: [UInt8]) throws(FetchFailure) -> Int {
    guard let number = Self.number(document) else { throw FetchFailure(.parse, "it is broken") }
    return number
  }
  func discard(_ configuration: Int) {}
  func serve(_ configuration: Int, from origin: ConfigurationOrigin) {
    serves(configuration, served?.number)
    served = (configuration, origin)
  }
  func isServed(_ configuration: Int) -> Bool { served?.number == configuration }
  func request() -> HTTPRequest { HTTPRequest(method: "GET", url: "http://service.test/document") }
}

/// Requests are lines: a record's id, its text.
final class Lines: EventPolicy, @unchecked Sendable {
  private let faults: Set<Fault>
  init(_ faults: Set<Fault>) { self.faults = faults }

  let batchLimits = BatchLimits(rows: 5)
  func encode(_ batch: EventBatch) -> EventEncoding {
    let lines = batch.rows.map { "\($0.id) \(String(decoding: $0.payload, as: UTF8.self))" }
    return .request(
      HTTPRequest(method: "POST", url: "http://service.test/events", body: Array(lines.joined(separator: "\n").utf8)))
  }
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    let verdict = EventVerdict.standard(answer)
    if faults.contains(.sendsAcceptedAgain), verdict == .done, batch.attempt == 1 { return .again }
    return verdict
  }
}

/// One run of a program with the library in it.
final class Process: @unchecked Sendable {
  let number: Int
  /// It sends events itself; else it leaves them in the store to those that do.
  let sends: Bool
  let time: ManualScheduler
  let scheduler: ProcessScheduler
  private(set) var host: TestHost?
  private(set) var source: ConfigurationSource<Documents>?
  private(set) var pipeline: EventPipeline?
  let documents = Documents()
  let network: Network
  /// Its next writes may be its last.
  var diesSoon = false
  var isOnline = true
  /// Ids that the service accepted, as this process was told.
  var told: Set<String> = []
  private let disk: Disk

  var isAlive: Bool { scheduler.isAlive }

  init(
    number: Int, sends: Bool, time: ManualScheduler, dice: Dice, disk: Disk, service: Service, faults: Set<Fault>
  ) {
    (self.number, self.sends, self.time, self.disk) = (number, sends, time, disk)
    scheduler = ProcessScheduler(time, dice)
    network = Network(time, dice, service, faults)
    network.process = self
    var storing = Store.Options()
    storing.forwards = !sends
    let host = TestHost(
      manager: DiskManager(disk, self), seed: dice.seed(), time: time, scheduler: scheduler, storing: storing,
      around: { [network] in network.carry($0) })
    self.host = host
    source = ConfigurationSource(
      host: host, format: documents, storageKey: "document",
      pace: RegularPace(interval: dice.happens(oneIn: 4) ? 0 : 20_000, limit: 60_000))
    var options = EventPipeline.Options(name: "events")
    options.durability = dice.happens(oneIn: 3) ? .periodic : .immediate
    options.flushIntervalMilliseconds = 5_000
    options.maximumRows = dice.pick([(1, 8), (3, 1_000)])
    options.pace = RegularPace(interval: 0, limit: 60_000, base: 1_000, jitter: 1)
    options.maximumInFlight = 1 + dice.roll(2)
    options.keepsBatches = dice.happens(oneIn: 3)
    pipeline = EventPipeline(options, policy: Lines(faults), host: host)
  }

  func start() {
    scheduler.post { [weak self] in
      self?.pipeline?.start()
      self?.source?.start()
    }
  }

  /// Its memory and its locks are gone at once.
  func kill() {
    scheduler.kill()
    network.end()
    // Nothing may hold its store in memory: its rows are another's to claim when it is gone.
    host?.store.lane.close()
    disk.unlock(number)
    (host, source, pipeline) = (nil, nil, nil)
  }
}
