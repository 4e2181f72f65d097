public import HoistBase

/// Where a pipeline writes records before they are in the store, so that callers need not wait for that; the store then
/// gets them in groups. What a dead process has left in its journals is handed out with the rows without an owner
/// (`CacheManager.claimEvents`).
///
/// The records of a journal are its process's alone while that lives and the journal exists. So a purge does not reach
/// the journals of other living processes.
public protocol EventJournal: AnyObject, Sendable {
  /// Records something and writes it down, with no other record of this journal in between. Any thread; may wait for
  /// other calls until the deadline, and then for one write to the system's cache of a file, however long that takes.
  /// - Parameters:
  ///   - payload: in the form in which the store keeps it.
  ///   - deadline: until when to wait for other calls, in nanoseconds of the machine's monotonic clock.
  ///   - recording: called at most once: records, and returns the record's number; nil when it was refused. Not called by a
  ///     journal that takes nothing now.
  /// - Returns: whether the record survives the process from here on.
  func write(
    subject: ByteView, unixMilliseconds: Int64, payload: ByteView, untilNanoseconds deadline: Int64, recording: () -> UInt64?
  ) -> Bool

  /// What is here of a subject is to be gone when `carryOutErasures` returns next. Any thread; waits for no disk.
  /// - Parameter end: of records below this number.
  func erase(subject: String, below end: UInt64)
  /// Where that fails, the journal is sound no more, and what else is in it may be gone from it as well: it is to be given to
  /// the store at once. On the store's lane.
  func carryOutErasures()

  /// Forgets what needs the journal no more. On the store's lane.
  func release(_ progress: JournalProgress)

  /// False when it accepts no more records. Any thread.
  var isSound: Bool { get }

  /// Ends a journal that holds nothing, with nothing left behind. On the store's lane.
  func closeIfEmpty()
  /// Ends a journal and leaves its records to be claimed. May be repeated. On the store's lane; the last reference to a
  /// journal does the same.
  func close()
}

/// The store's progress with the records of a journal.
public struct JournalProgress: Sendable {
  /// Records below this number are stored, or gone, when all steps of the round so far have succeeded.
  public var below: UInt64
  /// A round begins when no call of the store is under way; its steps are numbered from 0.
  public var round: UInt64
  public var step: Int

  public init(below: UInt64, round: UInt64, step: Int) {
    self.below = below
    self.round = round
    self.step = step
  }
}

/// Makes globally unique ids from one random draw and a counter: the text of a UUID of version 4, whose last digits the
/// counter changes.
public struct EventIdentifiers: Sendable, Equatable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public func text(_ number: UInt64) -> String { UUIDv4(high: high, low: low &+ number).text }
}
