internal import HoistBase
internal import Synchronization

/// What a store knows; guarded by its lock.
struct StoreState {
  struct Counters {
    var written = 0
    var failures = 0
    /// Calls that were not made, because the manager is stuck or paused, or waited too long.
    var refused = 0
    /// Values that were never written.
    var givenUp = 0
    /// Rows of the manager's that were not believed.
    var ignored = 0
    /// How often others' announcements were looked after.
    var heard = 0
  }

  let generation: UInt32
  var counters = Counters()
  var pending = PendingValues()
  /// What is to be forgotten as soon as the manager works, in the order in which it was asked for.
  var forgettings: [EventForgetting] = []
  /// Not answered yet, or answered by the manager too late.
  var claims: [StoreClaim] = []
  /// Purges that a pipeline was asked for and the manager has not carried out.
  var purges = 0
  /// Numbers the calls. Rows are forgotten by a call that was made after it was asked for: an earlier
  /// one may be the very call that stores them.
  var nextCall: UInt64 = 1

  var owner: LeasedOwner
  /// Former owners, whose leases ran out unnoticed, newest last; rows on their way are still under their names.
  var formerOwners: [EventOwner] = []
  var ownerEpoch: UInt64 = 0
  /// Rows that were forgotten since then: a process that claimed them meanwhile, rightly, may leave them behind.
  var forgottenSince = RecentRows(capacity: 10_000)
  var isRenewing = false
  var isClosed = false
  /// The client closes: what others have left is left to others.
  var takesNoMore = false
  /// Whether the host knows whether its manager can compare and set.
  var hasNotedReplacing = false

  /// Who is told what others announce, and what tells it; nil while none listens.
  var listeners: [Store.Listener] = []
  var news: CacheNews?
  /// A look that followed news has failed, and comes again after a pause.
  var isLookOwed = false
  var lookPause = Backoff(baseMilliseconds: 1_000, capMilliseconds: 60_000, jitter: 0.5)

  /// The call that has not returned in time; while there is one, no other is made.
  var stuck: StoreCall?
  /// A failure that trying again cannot help.
  var end: CacheFailure?
  var isFailing = false
  /// The manager has answered something: before, there is no knowing whether it holds anything.
  var hasWorked = false
  /// It has failed to write, and no write has succeeded since.
  var failsToWrite = false
  var pausedUntil = Int64.min
  var pause = Backoff(baseMilliseconds: 1_000, capMilliseconds: 60_000, jitter: 0.5)
  /// A settlement is on its way, or a timer for one is armed.
  var isSettling = false

  init(generation: UInt32, nonce: UInt64) {
    self.generation = generation
    owner = LeasedOwner(nonce: nonce)
  }

  /// Rows that the manager may still have, and that are to be forgotten.
  var owedRows: Set<String> {
    forgettings.reduce(into: []) { if case .rows(let ids) = $1.what { $0.formUnion(ids) } }
  }

  var owesSomething: Bool { !pending.isEmpty || !forgettings.isEmpty }

  mutating func newCall() -> StoreCall {
    defer { nextCall += 1 }
    return StoreCall(number: nextCall)
  }

  /// Why a call may not be made now.
  func refusal(at now: Int64, writes: Bool) -> CacheFailure? {
    if let end { return end }
    if stuck != nil { return CacheFailure("the store is stuck") }
    if writes && now < pausedUntil { return CacheFailure("the store pauses after a failure") }
    return nil
  }
}

/// The identity of one call of the manager. Guarded by the store's lock.
final class StoreCall: @unchecked Sendable {
  let number: UInt64
  var hasBegun = false
  var hasEnded = false
  init(number: UInt64) { self.number = number }
}

/// Ids of rows, the latest ones.
struct RecentRows: Sendable {
  private let capacity: Int
  private var ids: Set<String> = []
  private var former: Set<String> = []

  init(capacity: Int) { self.capacity = max(2, capacity) }

  mutating func insert(_ new: [String]) {
    ids.formUnion(new)
    guard ids.count > capacity / 2 else { return }
    (ids, former) = ([], ids)
  }

  func contains(_ id: String) -> Bool { ids.contains(id) || former.contains(id) }
}

/// Rows that the manager has to forget.
struct EventForgetting: Sendable {
  enum What: Sendable {
    case rows([String])
    case subject(String, pipeline: String)
  }
  var what: What
  /// The first call that may do it.
  var call: UInt64
}

/// Rises once.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}
