import HoistBase
@testable import HoistCore

/// What is on the simulated disk.
struct DiskContent {
  struct Row {
    var row: EventRow
    var owner: String
    var order: Int
  }
  struct Journal {
    struct Entry {
      var number: UInt64
      var row: EventRow
    }
    var entries: [Entry] = []
    /// Of the process that has it locked; nil when nothing has.
    var holder: Int?
  }

  var values: [String: [UInt8]] = [:]
  var rows: [String: Row] = [:]
  var leases: [String: Int64] = [:]
  var journals: [Int: Journal] = [:]

  /// Whether a record is anywhere.
  func holds(_ id: String) -> Bool {
    rows[id] != nil || journals.values.contains { $0.entries.contains { $0.row.id == id } }
  }
}

/// The disk of the simulated machine: what is committed outlives processes; what is not synced yet may be lost with the
/// power, the newest first. Each call may fail, be slow, or be the last of its process.
final class Disk: @unchecked Sendable {
  enum Trouble {
    case none, full, broken, slow
  }

  let dice: Dice
  let faults: Set<Fault>
  private(set) var content = DiskContent()
  /// Counts commits.
  private(set) var version = 0
  /// The contents since the last sync, that one included, each with its version.
  private var history: [(version: Int, content: DiskContent)] = [(0, DiskContent())]
  var trouble = Trouble.none
  /// How long the next slow call takes; runs everything else meanwhile.
  var stall: (Int64) -> Void = { _ in }
  var note: (@autoclosure () -> String) -> Void = { _ in }
  /// Told of what a process has purged.
  var purges: (_ text: String, _ process: Int) -> Void = { _, _ in }
  private var order = 0

  init(dice: Dice, faults: Set<Fault>) { (self.dice, self.faults) = (dice, faults) }

  func commit(_ change: (inout DiskContent) -> Void) {
    change(&content)
    version += 1
    if dice.happens(oneIn: 3) { history = [] }
    history.append((version, content))
  }

  func nextOrder() -> Int {
    order += 1
    return order
  }

  /// - Returns: the version of what is left.
  func losePower() -> Int {
    let left = history[dice.roll(history.count)]
    (version, content) = (left.version, left.content)
    for name in content.journals.keys { content.journals[name]?.holder = nil }
    history = [(version, content)]
    return version
  }

  func unlock(_ process: Int) {
    for name in content.journals.keys where content.journals[name]?.holder == process { content.journals[name]?.holder = nil }
  }
}

/// A process's way to the disk.
final class DiskManager: CacheManager, @unchecked Sendable {
  private let disk: Disk
  private let process: Process
  init(_ disk: Disk, _ process: Process) { (self.disk, self.process) = (disk, process) }

  /// What may come before a call, and in the middle of it.
  private func begin(writes: Bool) throws(CacheFailure) {
    try needLife()
    if disk.trouble == .slow, disk.dice.happens(oneIn: 3) { disk.stall(disk.dice.milliseconds(50...15_000)) }
    try needLife()
    if disk.trouble == .broken, disk.dice.happens(oneIn: 2) { throw CacheFailure("the disk has an error") }
    if writes, disk.trouble == .full { throw CacheFailure("the disk is full") }
    if process.diesSoon, disk.dice.happens(oneIn: 3) { process.kill() }
    try needLife()
  }

  private func needLife() throws(CacheFailure) {
    if !process.isAlive { throw CacheFailure("the process is gone") }
  }

  private func write(_ change: (inout DiskContent) -> Void) throws(CacheFailure) {
    try begin(writes: true)
    disk.commit(change)
    if process.diesSoon, disk.dice.happens(oneIn: 3) { process.kill() }
    try needLife()
  }

  func load(key: String) throws(CacheFailure) -> [UInt8]? {
    try begin(writes: false)
    return disk.content.values[key]
  }
  func save(key: String, value: [UInt8]) throws(CacheFailure) { try write { $0.values[key] = value } }
  func remove(key: String) throws(CacheFailure) { try write { $0.values[key] = nil } }

  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    try write { content in
      disk.note("process \(process.number) stores \(rows.map { String($0.id.suffix(4)) }) as \(owner.id.suffix(4))")
      renew(owner, &content)
      for row in disk.faults.contains(.dropsLastWrite) ? rows.dropLast() : rows[...] {
        if let known = content.rows[row.id] {
          if known.owner == owner.id { content.rows[row.id]?.row = row }
        } else {
          content.rows[row.id] = DiskContent.Row(row: row, owner: owner.id, order: disk.nextOrder())
        }
      }
    }
  }

  func claimEvents(pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner) throws(CacheFailure) -> [EventRow] {
    var claimed: [EventRow] = []
    try write { content in
      takeLeftJournals(&content)
      renew(owner, &content)
      let now = process.time.unixMilliseconds
      let free = content.rows.values.filter {
        $0.row.pipeline == pipeline && $0.owner != owner.id && isFree($0.owner, content, now)
      }
      var room = maximumBytes
      let oldest = free.sorted { ($0.row.createdUnixMilliseconds, $0.order) < ($1.row.createdUnixMilliseconds, $1.order) }
      for row in oldest.prefix(max(0, maximumRows)) {
        guard row.row.payload.count <= room else { break }
        room -= row.row.payload.count
        content.rows[row.row.id]?.owner = owner.id
        disk.note("process \(process.number) claims \(row.row.id.suffix(4)) as \(owner.id.suffix(4))")
        claimed.append(row.row)
      }
    }
    return claimed
  }

  private func takeLeftJournals(_ content: inout DiskContent) {
    for (name, journal) in content.journals.sorted(by: { $0.key < $1.key }) where journal.holder == nil {
      for entry in journal.entries where content.rows[entry.row.id] == nil {
        content.rows[entry.row.id] = DiskContent.Row(row: entry.row, owner: "", order: disk.nextOrder())
      }
      content.journals[name] = nil
    }
  }

  private func isFree(_ owner: String, _ content: DiskContent, _ now: Int64) -> Bool {
    guard let lease = content.leases[owner], lease != 0 else { return true }
    if disk.faults.contains(.takesFromTheLiving) { return true }
    switch OwnerIdentity(text: owner)?.liveness ?? .unknown {
    case .dead: return true
    case .alive: return false
    case .unknown: return lease <= now
    }
  }

  private func renew(_ owner: EventOwner, _ content: inout DiskContent) {
    content.leases[owner.id] = process.time.unixMilliseconds + owner.leaseMilliseconds
  }

  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    disk.note("process \(process.number) removes \(ids.map { String($0.suffix(4)) })")
    try write { content in for id in ids where content.rows[id]?.owner == owner.id { content.rows[id] = nil } }
  }
  func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    try write { content in
      disk.note("process \(process.number) purges \(subject) on the disk")
      var purged: [EventRow] = []
      func isMeant(_ row: EventRow) -> Bool {
        guard row.subject == subject, row.pipeline == pipeline else { return false }
        purged.append(row)
        return true
      }
      content.rows = content.rows.filter { !isMeant($0.value.row) }
      for (name, journal) in content.journals where journal.holder == nil {
        content.journals[name]?.entries.removeAll { isMeant($0.row) }
      }
      for row in purged { disk.purges(String(decoding: row.payload, as: UTF8.self), process.number) }
    }
  }
  func renewLease(owner: EventOwner) throws(CacheFailure) {
    try write {
      disk.note("process \(process.number) renews \(owner.id.suffix(4))")
      renew(owner, &$0)
    }
  }
  func releaseEvents(owner: EventOwner) throws(CacheFailure) { try write { $0.leases[owner.id] = 0 } }
  let canGiveBackEvents = true
  func giveBackEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    disk.note("process \(process.number) leaves \(ids.map { String($0.suffix(4)) }) to others")
    try write { content in
      if disk.faults.contains(.keepsWhatIsLeft) { return }
      for id in ids where content.rows[id]?.owner == owner.id { content.rows[id]?.owner = "" }
    }
  }

  func openJournal(pipeline: String, identifiers: EventIdentifiers) throws(CacheFailure) -> (any EventJournal)? {
    let name = disk.nextOrder()
    try write { $0.journals[name] = DiskContent.Journal(holder: process.number) }
    return DiskJournal(disk, process, name, pipeline, identifiers)
  }

  func close() {}
}

/// A journal of which each entry is one write, torn when the process or the power goes in it.
final class DiskJournal: EventJournal, @unchecked Sendable {
  private let disk: Disk
  private let process: Process
  private let name: Int
  private let pipeline: String
  private let identifiers: EventIdentifiers
  private var erasures: [(subject: String, end: UInt64)] = []
  private var round: UInt64 = 0
  private var steps = 0

  init(_ disk: Disk, _ process: Process, _ name: Int, _ pipeline: String, _ identifiers: EventIdentifiers) {
    (self.disk, self.process, self.name, self.pipeline, self.identifiers) = (disk, process, name, pipeline, identifiers)
  }

  private var isOpen: Bool { process.isAlive && disk.content.journals[name]?.holder == process.number }
  var isSound: Bool { isOpen }

  func write(
    subject: ByteView, unixMilliseconds: Int64, payload: ByteView, untilNanoseconds deadline: Int64, recording: () -> UInt64?
  ) -> Bool {
    guard isOpen, let number = recording() else { return false }
    let row = EventRow(
      id: identifiers.text(number), pipeline: pipeline, subject: String(decoding: subject, as: UTF8.self),
      createdUnixMilliseconds: unixMilliseconds, payload: Array(payload))
    if disk.faults.contains(.acknowledgesUnwritten) { return true }
    guard disk.trouble == .none || disk.trouble == .slow else { return false }
    if process.diesSoon, disk.dice.happens(oneIn: 3) { process.kill() }
    guard process.isAlive else { return false }
    disk.commit { $0.journals[name]?.entries.append(.init(number: number, row: row)) }
    return true
  }

  func erase(subject: String, below end: UInt64) { erasures.append((subject, end)) }

  func carryOutErasures() {
    guard isOpen, !erasures.isEmpty else { return }
    let due = erasures
    erasures = []
    disk.commit { content in
      for (subject, end) in due { content.journals[name]?.entries.removeAll { $0.row.subject == subject && $0.number < end } }
    }
  }

  func release(_ progress: JournalProgress) {
    guard isOpen else { return }
    if progress.step == 0 { (round, steps) = (progress.round, 0) }
    guard progress.round == round, progress.step == steps else { return }
    steps += 1
    disk.commit { $0.journals[name]?.entries.removeAll { $0.number < progress.below } }
  }

  func closeIfEmpty() {
    if isOpen, disk.content.journals[name]?.entries.isEmpty == true { disk.commit { $0.journals[name] = nil } }
  }
  func close() { if isOpen { disk.commit { $0.journals[name]?.holder = nil } } }
}
