internal import HoistBase
internal import HoistCore
internal import Synchronization

/// A journal in two files, of which one is written while the records of the other are given to the store. A record is one
/// write to the system's cache of files: it survives the process, and as much of a loss of power as the cache file itself.
///
/// In a forked child it takes nothing, and does nothing to the files: they are the parent's.
final class FileJournal: EventJournal, @unchecked Sendable {
  /// Of one file; when it is full, callers wait for the store.
  static let maximumBytes = 8 << 20
  static let suffix = ".journal"

  private struct Erasure {
    var subject: [UInt8]
    var end: UInt64
  }

  private let generation = ForkGeneration.current
  private let sound = Atomic(true)
  /// Held while a record is written, and while the files are changed otherwise.
  private let lock = Lock()
  // Guarded by `lock`.
  private var parts: [JournalPart]
  private var current = 0
  private var isClosed = false
  /// The round of the store's calls, and how many of it have succeeded.
  private var round: UInt64 = 0
  private var steps = 0

  private let erasureLock = Lock()
  /// Guarded by `erasureLock`.
  private var erasures: [Erasure] = []

  /// - Parameters:
  ///   - file: beside which the files are made.
  ///   - entropy: for the names.
  init(
    beside file: CacheFile, pipeline: String, identifiers: EventIdentifiers, entropy: any Entropy = SystemEntropy()
  ) throws(CacheFailure) {
    let header = JournalFormat.Header(identifiers: identifiers, pipeline: pipeline)
    let first = try Self.newPart(file, header, entropy)
    do {
      parts = [first, try Self.newPart(file, header, entropy)]
    } catch {
      first.unlink()
      first.close()
      throw error
    }
  }

  /// A scan by another process may lock a new file first: then another name will do.
  private static func newPart(
    _ file: CacheFile, _ header: JournalFormat.Header, _ entropy: any Entropy
  ) throws(CacheFailure) -> JournalPart {
    func part() throws(CacheFailure) -> JournalPart {
      try JournalPart(path: file.journalStem + UUIDv4(from: entropy).digits + suffix, header: header)
    }
    do { return try part() } catch { return try part() }
  }

  deinit { close() }

  var isSound: Bool { sound.load(ordering: .relaxed) && generation == ForkGeneration.current }

  // MARK: Any thread

  func write(
    subject: ByteView, unixMilliseconds: Int64, payload: ByteView, untilNanoseconds deadline: Int64, recording: () -> UInt64?
  ) -> Bool {
    let size = JournalFormat.entryHeaderBytes + subject.count + payload.count
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { room in
      let checksum = JournalFormat.begin(room, subject: subject, created: unixMilliseconds, payload: payload)
      // A disk that stalls holds up one thread, not all that come after it.
      let isWritten = lock.withLock(untilNanoseconds: deadline) {
        guard isSound, parts[current].used + size <= Self.maximumBytes, let number = recording() else { return false }
        JournalFormat.finish(room, number: number, checksum: checksum)
        return parts[current].append(room, number: number) && isInPlace
      }
      return isWritten ?? false
    }
  }

  /// What is written to a file that was removed is lost with the process.
  private var isInPlace: Bool {
    if parts[current].isInPlace { return true }
    sound.store(false, ordering: .relaxed)
    return false
  }

  func erase(subject: String, below end: UInt64) {
    erasureLock.withLock { erasures.append(Erasure(subject: Array(subject.utf8), end: end)) }
  }

  // MARK: The store's lane

  func carryOutErasures() {
    let due = erasureLock.withLock {
      defer { erasures = [] }
      return erasures
    }
    guard !due.isEmpty else { return }
    lock.withLock {
      guard !isClosed, generation == ForkGeneration.current else { return }
      for part in parts where !part.isEmpty {
        let isDone = part.erase { entry in
          due.contains { erasure in entry.number < erasure.end && erasure.subject.withBytes { entry.subject.hasSameBytes(as: $0) }
          }
        }
        if !isDone { giveUp(part) }
      }
    }
  }

  /// Better gone than read again; what else is in it is in memory.
  private func giveUp(_ part: JournalPart) {
    part.unlink()
    sound.store(false, ordering: .relaxed)
  }

  func release(_ progress: JournalProgress) {
    lock.withLock {
      guard !isClosed, generation == ForkGeneration.current else { return }
      if progress.step == 0 { (round, steps) = (progress.round, 0) }
      guard progress.round == round, progress.step == steps else { return }
      steps += 1
      for place in parts.indices where !parts[place].isEmpty && parts[place].last < progress.below {
        if !parts[place].reset() { giveUp(parts[place]) }
      }
      // What comes next is not to keep the rest here.
      if !parts[current].isEmpty, parts[1 - current].isEmpty { current = 1 - current }
    }
  }

  func closeIfEmpty() {
    lock.withLock {
      if generation == ForkGeneration.current, parts.allSatisfy(\.isEmpty) { letGo() }
    }
  }

  func close() {
    carryOutErasures()
    lock.withLock { letGo() }
  }

  private func letGo() {
    isClosed = true
    sound.store(false, ordering: .relaxed)
    for part in parts {
      if part.isEmpty, generation == ForkGeneration.current { part.unlink() }
      part.close()
    }
    parts = []
  }
}
