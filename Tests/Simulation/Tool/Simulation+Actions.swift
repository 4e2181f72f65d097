import HoistBase
@testable import HoistCore
import HoistTestSupport

/// What may happen next.
extension Simulation {
  private enum Action {
    case record, pass, passLong, flush, read, refresh, document, kill, dieSoon, close, start, power, network, mood, disk, online,
      leap, purge
  }

  private static let actions: [(weight: Int, choice: Action)] = [
    (30, .record), (20, .pass), (3, .passLong), (5, .flush), (2, .read), (3, .refresh), (4, .document), (3, .kill), (3, .dieSoon),
    (2, .close), (5, .start), (1, .power), (5, .network), (4, .mood), (5, .disk), (3, .online), (2, .leap), (2, .purge),
  ]

  func act() {
    if processes.isEmpty { return startProcess() }
    let process = processes[dice.roll(processes.count)]
    switch dice.pick(Self.actions) {
    case .record:
      for _ in 0...dice.roll(3) where process.isAlive { recordOne(in: process) }
    case .pass: time.advance(milliseconds: dice.milliseconds(1...4_000))
    case .passLong: time.advance(milliseconds: dice.milliseconds(30_000...150_000))
    case .flush: flush(process)
    case .read: read(process)
    case .refresh: refresh(process)
    case .document:
      service.document += 1
      note("the document is v\(service.document)")
    case .kill: kill(process)
    case .dieSoon: process.diesSoon = true
    case .close: close(process)
    case .start: if processes.count < 3 { startProcess() }
    case .power: losePower()
    case .network:
      process.network.way = dice.pick([(3, .open), (2, .bad), (1, .cut)])
      note("the network of process \(process.number) is \(process.network.way)")
    case .mood:
      service.mood = dice.pick([(3, .well), (2, .failing), (1, .refusing)])
      note("the service is \(service.mood)")
    case .disk:
      disk.trouble = dice.pick([(4, .none), (1, .full), (1, .broken), (1, .slow)])
      note("trouble with the disk: \(disk.trouble)")
    case .online: setOnline(!process.isOnline, process)
    case .leap:
      let leap = dice.milliseconds(-7_200_000...7_200_000)
      note("the wall clock leaps by \(leap) ms")
      time.leapWallClock(byMilliseconds: leap)
    case .purge: purge(process)
    }
  }

  private func recordOne(in process: Process) {
    let name = dice.happens(oneIn: 20) ? "bad" : "record"
    record("\(name)\(records.count)", of: dice.pick([(2, ""), (1, "ann"), (1, "bob")]), in: process)
  }

  private func flush(_ process: Process) {
    note("process \(process.number) flushes")
    let isOver = limit("a flush", of: process, within: 600_000)
    process.pipeline?.flush { _ in isOver.value = true }
  }

  private func read(_ process: Process) {
    let isOver = limit("a read of the store", of: process, within: 10_000)
    process.host?.store.read("document") { _ in isOver.value = true }
  }

  /// The time limit of a request, and its way through the scheduler.
  private func refresh(_ process: Process) {
    note("process \(process.number) refreshes")
    let isOver = limit("a fetch", of: process, within: 30_000)
    process.scheduler.post { [weak process] in process?.source?.fetch { _ in isOver.value = true } }
  }

  func setOnline(_ isOnline: Bool, _ process: Process) {
    guard process.isOnline != isOnline else { return }
    note("process \(process.number) is \(isOnline ? "online" : "offline")")
    process.isOnline = isOnline
    process.scheduler.post { [weak process] in
      process?.host?.isOnline = isOnline
      process?.source?.setOnline(isOnline)
      if isOnline { process?.pipeline?.lift(.offline) } else { process?.pipeline?.hold(.offline) }
    }
  }

  private func purge(_ process: Process) {
    note("process \(process.number) purges ann")
    for (text, record) in records where record.subject == "ann" { records[text]?.mayGo = true }
    process.pipeline?.purge(subject: "ann")
  }
}
