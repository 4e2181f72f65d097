internal import HoistBase
internal import HoistCore

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
  private let lock = Lock()
  // Guarded by `lock`.
  private var parts: [JournalPart]
  private var current = 0
  private var erasures: [Erasure] = []
  /// While this is here others leave the files alone.
  private var owner: LiveOwner?
  private var isClosed = false
  /// Something is not as it should be: what is here is given to the store, and nothing more is taken.
  private var isBroken = false
  /// The round of the store's calls, and how many of it have succeeded.
  private var round: UInt64 = 0
  private var steps = 0

  /// - Parameters:
  ///   - file: beside which the files are made.
  ///   - entropy: for the names.
  init?(beside file: CacheFile, pipeline: String, identifiers: EventIdentifiers, entropy: any Entropy = SystemEntropy()) {
    let owner = LiveOwner(nonce: entropy.next())
    let header = JournalFormat.Header(identifiers: identifiers, owner: owner.name, pipeline: pipeline)
    parts = (0..<2).compactMap { _ in
      JournalPart(path: file.journalStem + UUIDv4(from: entropy).digits + Self.suffix, header: header)
    }
    self.owner = owner
    if parts.count == 2 { return }
    for part in parts {
      part.unlink()
      part.close()
    }
    parts = []
    isClosed = true
    return nil
  }

  deinit { close() }

  func write(subject: ByteView, unixMilliseconds: Int64, payload: ByteView, recording: () -> UInt64?) -> Bool {
    let size = JournalFormat.entryHeaderBytes + subject.count + payload.count
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { room in
      let checksum = JournalFormat.begin(room, subject: subject, created: unixMilliseconds, payload: payload)
      return lock.withLock {
        guard isWritable, parts[current].used + size <= Self.maximumBytes, let number = recording() else { return false }
        JournalFormat.finish(room, number: number, checksum: checksum)
        return parts[current].append(room, number: number)
      }
    }
  }

  private var isWritable: Bool { !isClosed && !isBroken && generation == ForkGeneration.current }

  func erase(subject: String, below end: UInt64) {
    lock.withLock { erasures.append(Erasure(subject: Array(subject.utf8), end: end)) }
  }

  func settle(_ progress: JournalProgress?) {
    lock.withLock {
      guard !isClosed, generation == ForkGeneration.current else { return }
      carryOutErasures()
      guard let progress else { return }
      forget(progress)
      if !parts.allSatisfy(\.isInPlace) { isBroken = true }
    }
  }

  private func carryOutErasures() {
    guard !erasures.isEmpty else { return }
    for part in parts where !part.isEmpty {
      let isDone = part.erase { entry in
        erasures.contains { erasure in entry.number < erasure.end && erasure.subject.withBytes { entry.subject.hasSameBytes(as: $0) } }
      }
      // Tried again at the next call.
      if !isDone { return isBroken = true }
    }
    erasures = []
  }

  private func forget(_ progress: JournalProgress) {
    if progress.step == 0 { (round, steps) = (progress.round, 0) }
    guard progress.round == round, progress.step == steps else { return }
    steps += 1
    for place in parts.indices where !parts[place].isEmpty && parts[place].last < progress.below {
      if parts[place].reset() { continue }
      // Better gone than read again.
      parts[place].unlink()
      isBroken = true
    }
    // What comes next is not to keep the rest here.
    if !parts[current].isEmpty, parts[1 - current].isEmpty { current = 1 - current }
  }

  func close() {
    lock.withLock {
      guard !isClosed else { return }
      isClosed = true
      let isLeft = generation != ForkGeneration.current || parts.contains { !$0.isEmpty }
      for part in parts {
        if !isLeft { part.unlink() }
        part.close()
      }
      owner = nil
    }
  }
}
