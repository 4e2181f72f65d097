import HoistBase
@testable import HoistCore

/// A journal in memory that does as the test says.
final class PaperJournal: EventJournal, @unchecked Sendable {
  struct Entry {
    var number: UInt64
    var subject: String
    var payload: [UInt8]
    var text: String { String(decoding: payload, as: UTF8.self) }
  }

  private let lock = Lock()
  private var written: [Entry] = []
  private var erasures: [(subject: String, end: UInt64)] = []
  private var releases: [JournalProgress] = []
  private var broken = false
  private var round: UInt64 = 0
  private var steps = 0
  private var takesNothing = false
  private var failing = false
  private var closed = false
  private var breaksOnErasure = false
  private var left: [String]?
  private var wasOnLane = false
  private var deadlines: [Int64] = []

  var entries: [String] { lock.withLock { written.map(\.text) } }
  var payloads: [[UInt8]] { lock.withLock { written.map(\.payload) } }
  var progress: [JournalProgress] { lock.withLock { releases } }
  var isClosed: Bool { lock.withLock { closed } }
  func takeNothing(_ value: Bool) { lock.withLock { takesNothing = value } }
  func breakDown() { lock.withLock { broken = true } }
  func fail(_ value: Bool) { lock.withLock { failing = value } }

  /// The next erasure fails.
  func breakOnErasure() { lock.withLock { breaksOnErasure = true } }
  /// What it held when it was closed, if it was, and whether that was on a thread of the library's own.
  var leftAtClose: [String]? { lock.withLock { left } }
  var wasClosedOnLane: Bool { lock.withLock { wasOnLane } }
  /// Until when those who wrote would have waited.
  var patience: [Int64] { lock.withLock { deadlines } }

  func write(
    subject: ByteView, unixMilliseconds: Int64, payload: ByteView, untilNanoseconds deadline: Int64, recording: () -> UInt64?
  ) -> Bool {
    lock.withLock {
      deadlines.append(deadline)
      guard !closed, !broken, !takesNothing, let number = recording(), !failing else { return false }
      written.append(
        Entry(number: number, subject: String(decoding: subject, as: UTF8.self), payload: Array(payload)))
      return true
    }
  }

  func erase(subject: String, below end: UInt64) { lock.withLock { erasures.append((subject, end)) } }

  func carryOutErasures() {
    lock.withLock {
      for erasure in erasures { written.removeAll { $0.subject == erasure.subject && $0.number < erasure.end } }
      erasures = []
      if breaksOnErasure { broken = true }
    }
  }

  func release(_ progress: JournalProgress) {
    lock.withLock {
      if progress.step == 0 { (round, steps) = (progress.round, 0) }
      guard progress.round == round, progress.step == steps else { return }
      steps += 1
      releases.append(progress)
      written.removeAll { $0.number < progress.below }
    }
  }

  var isSound: Bool { lock.withLock { !closed && !broken } }
  func closeIfEmpty() { lock.withLock { closed = written.isEmpty } }
  func close() {
    let isOwn = Thread.isOwn
    lock.withLock { (closed, left, wasOnLane) = (true, left ?? written.map(\.text), isOwn) }
  }
}
