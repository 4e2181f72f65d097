import HoistBase
@testable import HoistCore
import HoistTestSupport

/// One machine with a disk, processes that come and go, and a service, for a while: everything that happens follows from the
/// seed. The core is the real one.
final class Simulation: @unchecked Sendable {
  struct Record {
    let subject: String
    let process: Int
    /// At which version of the disk its caller was told that it is stored.
    var acknowledgedAt: Int?
    /// It may be gone: it was purged, or its process cannot send it.
    var mayGo: Bool
  }
  struct Wait {
    let what: String
    weak var process: Process?
    let until: Int64
    let isOver: Locked<Bool>
  }

  let dice: Dice
  let faults: Set<Fault>
  let time = ManualScheduler()
  let disk: Disk
  let service: Service
  var processes: [Process] = []
  private var started = 0
  /// By their texts.
  var records: [String: Record] = [:]
  /// Records whose callers wait for the store.
  private var uncommitted: [(process: Process, sequence: UInt64, text: String)] = []
  var waits: [Wait] = []
  /// What a process was told is accepted, and no disk holds any more.
  private var gone: Set<String> = []
  private var everTold: Set<String> = []
  private var identifiers: [String: String] = [:]
  private(set) var broken: Broken?
  private(set) var trace: [String] = []
  private let isTracing: Bool
  private var depth = 0

  /// Some processes leave their events to others.
  private let forwards: Bool

  init(seed: UInt64, faults: Set<Fault> = [], forwards: Bool = false, isTracing: Bool = false) {
    (self.faults, self.forwards, self.isTracing) = (faults, forwards, isTracing)
    dice = Dice(seed: seed)
    disk = Disk(dice: dice, faults: faults)
    service = Service(dice: dice)
    disk.stall = { [unowned self] in stall($0) }
    disk.note = { [unowned self] line in note(line()) }
    disk.purges = { [unowned self] text, process in if records[text]?.process != process { records[text]?.mayGo = true } }
    service.accepts = { [unowned self] in accepted($0, $1) }
  }

  /// - Returns: which promise was broken, if one was.
  func run(steps: Int = 50) -> Broken? {
    defer { for process in processes { process.kill() } }
    startProcess()
    for _ in 0..<steps where broken == nil {
      act()
      time.run()
      look()
    }
    if broken == nil { heal() }
    return broken
  }

  func note(_ line: @autoclosure () -> String) {
    if isTracing { trace.append("\(time.monotonicNanoseconds / 1_000_000 - 1_000) ms  \(line())") }
  }

  func fail(_ promise: Promise, _ detail: @autoclosure () -> String) {
    guard broken == nil else { return }
    broken = Broken(promise: promise, detail: detail())
    note("\(promise.rawValue): \(detail())")
  }

  // MARK: What happens

  func startProcess(sends: Bool = false) {
    started += 1
    let sends = sends || !forwards || dice.happens(oneIn: 2)
    let process = Process(
      number: started, sends: sends, time: time, dice: dice, disk: disk, service: service, faults: faults)
    process.documents.serves = { [unowned self, number = started] new, former in
      note("process \(number) serves v\(new)")
      if let former, new < former { fail(.nothingOlderIsServed, "v\(new) over v\(former) in process \(number)") }
    }
    process.network.sends = { [unowned self, unowned process] ids in sending(ids, process) }
    processes.append(process)
    note("process \(started) starts\(sends ? "" : ", and leaves its events to others")")
    process.start()
  }

  func kill(_ process: Process) {
    note("process \(process.number) is killed")
    process.kill()
    bury()
  }

  /// Forgets processes that have been killed, by themselves, too.
  func bury() {
    processes.removeAll { !$0.isAlive }
    uncommitted.removeAll { !$0.process.isAlive }
  }

  /// Writes what can be written, and ends.
  func close(_ process: Process) {
    note("process \(process.number) closes")
    guard let host = process.host else { return }
    process.scheduler.post { [weak process] in
      process?.source?.stop()
      process?.pipeline?.stop()
    }
    time.run()
    host.store.lane.perform { [weak process] in
      if let process, let manager = host.store.manager, process.isAlive { _ = host.store.leave(manager) }
    }
    time.advance(milliseconds: 20)
    kill(process)
  }

  func losePower() {
    for process in processes { process.kill() }
    bury()
    let version = disk.losePower()
    note("the power fails; the disk is as of \(version)")
    for (text, record) in records where record.acknowledgedAt.map({ $0 > version }) ?? false {
      records[text]?.acknowledgedAt = nil
    }
    (gone, everTold) = ([], [])
  }

  func record(_ text: String, of subject: String, in process: Process) {
    guard let pipeline = process.pipeline else { return }
    records[text] = Record(subject: subject, process: process.number, mayGo: text.hasPrefix("bad"))
    let now = time.unixMilliseconds
    let outcome = text.withBytes { payload in
      subject.withBytes { pipeline.record(payload, subject: $0, unixMilliseconds: now, waits: .forJournal) }
    }
    note("process \(process.number) records \(text)\(subject.isEmpty ? "" : " of \(subject)"): \(outcome)")
    guard process.isAlive else { return }
    switch outcome {
    case .stored: records[text]?.acknowledgedAt = disk.version
    case .unsaved:
      uncommitted.append((process, pipeline.intake.with(\.nextSequence) &- 1, text))
    case .queued, .dropped: break
    }
  }

  func limit(_ what: String, of process: Process, within milliseconds: Int64) -> Locked<Bool> {
    let isOver = Locked(false)
    waits.append(
      Wait(what: what, process: process, until: time.monotonicNanoseconds / 1_000_000 + milliseconds + 100, isOver: isOver))
    return isOver
  }

  /// The disk takes its time, and all others go on.
  private func stall(_ milliseconds: Int64) {
    guard depth < 3 else { return }
    depth += 1
    note("a call of the disk takes \(milliseconds) ms")
    time.advance(milliseconds: milliseconds)
    depth -= 1
  }

  // MARK: What is promised

  private func sending(_ ids: [String], _ process: Process) {
    if !ids.isEmpty { note("process \(process.number) sends \(ids.map { String($0.suffix(4)) })") }
    /// Then its rows may have been claimed by another, rightly: a batch on its way then goes on.
    func hasLapsed(_ process: Process) -> Bool { process.host?.store.ownerEpoch != 0 }
    for id in ids {
      if process.told.contains(id) {
        fail(.nothingIsAcceptedTwice, "process \(process.number) was told that \(id) is accepted, and sends it again")
      }
      if gone.contains(id), !hasLapsed(process) {
        fail(.nothingIsAcceptedTwice, "\(id) was accepted and is on no disk, and process \(process.number) sends it again")
      }
      for other in processes where other !== process && other.isAlive && !hasLapsed(other) && !hasLapsed(process) {
        if other.network.underWay.values.contains(where: { $0.contains(id) }) {
          fail(.oneProcessSends, "\(id) is on its way from process \(other.number), and process \(process.number) sends it, too")
        }
      }
    }
  }

  private func accepted(_ id: String, _ text: String) {
    note("the service accepts \(text) as \(id.suffix(4))")
    if let former = identifiers[text], former != id { fail(.nothingIsAcceptedTwice, "\(text) came as \(former) and as \(id)") }
    identifiers[text] = id
  }

  func look() {
    bury()
    lookAtRecords()
    for process in processes { lookAtState(process) }
    let now = time.monotonicNanoseconds / 1_000_000
    waits.removeAll { $0.isOver.value || $0.process?.isAlive != true }
    if let late = waits.first(where: { $0.until < now }) {
      fail(.waitsEnd, "\(late.what) has not ended, \(now - late.until) ms after its limit")
    }
  }

  private func lookAtRecords() {
    for (process, sequence, text) in uncommitted {
      guard let progress = process.pipeline?.intake.progress else { continue }
      if progress.waitForCommit(of: sequence, untilNanoseconds: 0) {
        note("\(text) is stored")
        records[text]?.acknowledgedAt = disk.version
      }
    }
    uncommitted.removeAll { records[$0.text]?.acknowledgedAt != nil }
    let onDisk = Set(
      disk.content.rows.values.map(\.row.payload) + disk.content.journals.values.flatMap { $0.entries.map(\.row.payload) })
    for (text, record) in records.sorted(by: { $0.key < $1.key })
    where record.acknowledgedAt != nil && !record.mayGo && identifiers[text] == nil {
      if !onDisk.contains(Array(text.utf8)) { fail(.nothingAcknowledgedIsLost, "\(text) is not accepted, and on no disk") }
    }
    for process in processes { everTold.formUnion(process.told) }
    // A purge does not reach what another living process has claimed before.
    for id in everTold where !disk.content.holds(id) && records[service.accepted[id] ?? ""]?.mayGo != true { gone.insert(id) }
  }

  private func lookAtState(_ process: Process) {
    guard let life = process.host?.life, let loop = process.source?.loop, process.source?.isRunning == true else { return }
    let (state, hasFlags, word) = (life.state, process.documents.served != nil, process.network.lastWord)
    let isAsSaid =
      switch state {
      case .ready: hasFlags && word == true && process.isOnline
      case .stale: hasFlags && (word != true || !process.isOnline)
      case .error: !hasFlags && word == false
      case .notReady: !hasFlags && word != false
      case .fatal: !loop.goesOn
      case .reconciling, .closed: false
      }
    let goesOn = loop.goesOn || !process.isOnline || word == true || !life.wasInitialized
    let isReady = life.waitReady(timeoutMilliseconds: 0) == .ok
    let told = process.host?.notifications.value.map(\.topic) ?? []
    if !isAsSaid || isReady != hasFlags || (state != .fatal && !goesOn) || told.count(where: { $0 == .ready }) > 1
      || told.count(where: { $0 == .initialized }) > 1
    {
      fail(
        .statesAreTrue,
        "process \(process.number) is \(state): flags \(hasFlags), last word \(String(describing: word)), online \(process.isOnline), attempts \(loop.goesOn), ready \(isReady)"
      )
    }
  }

  /// Everything works again: what was promised has to come.
  private func heal() {
    note("everything works again")
    (disk.trouble, service.mood) = (.none, .well)
    bury()
    if !processes.contains(where: \.sends) { startProcess(sends: true) }
    for process in processes {
      process.network.way = .open
      process.diesSoon = false
      setOnline(true, process)
      process.scheduler.post { [weak process] in process?.source?.refresh() }
    }
    for _ in 0..<200 where broken == nil {
      time.advance(milliseconds: 10_000)
      look()
      if left == nil { return }
    }
    if let left { fail(left.promise, "\(left.detail) half an hour after everything works again") }
  }

  private var left: Broken? {
    let lost = records.filter { $0.value.acknowledgedAt != nil && !$0.value.mayGo && identifiers[$0.key] == nil }.keys.sorted()
    if !lost.isEmpty { return Broken(promise: .nothingAcknowledgedIsLost, detail: "not accepted: \(lost)") }
    for process in processes {
      if process.host?.life.state != .ready {
        return Broken(promise: .statesAreTrue, detail: "process \(process.number) is not READY")
      }
      if process.pipeline?.counters.waiting != 0 {
        return Broken(promise: .waitsEnd, detail: "records wait in process \(process.number)")
      }
    }
    return waits.contains { !$0.isOver.value && $0.process?.isAlive == true }
      ? Broken(promise: .waitsEnd, detail: "a wait goes on") : nil
  }
}
