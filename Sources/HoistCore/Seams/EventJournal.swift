public import HoistBase

/// Where a pipeline writes records down before they are in the store, so that whoever records need not wait for that; the
/// store is then given them in groups. What a process that died has left in its journals, its cache manager hands out with
/// the rows that nobody holds (`CacheManager.claimEvents`).
///
/// Nobody else has what is in a journal as long as its process lives and the journal is there. That goes for purges, too:
/// what another living process has in its journals is reached by a purge of its own only.
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

  /// False when it takes nothing any more. Any thread.
  var isSound: Bool { get }

  /// Ends a journal that holds nothing, with nothing left behind. On the store's lane.
  func closeIfEmpty()
  /// Ends a journal, which leaves what it holds to whoever claims next. May be repeated. On the store's lane; a journal that
  /// nobody has any more does the same.
  func close()
}

/// How far the store has come with what is in a journal.
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

/// Makes ids that are unique in the world from one draw of randomness and a counter: the text of a
/// UUID of version 4, in which the counter moves the last digits.
public struct EventIdentifiers: Sendable, Equatable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public func text(_ number: UInt64) -> String { UUIDv4(high: high, low: low &+ number).text }
}
