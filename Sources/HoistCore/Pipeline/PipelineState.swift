internal import HoistBase

/// What a pipeline knows on the scheduler's thread.
struct PipelineState {
  /// When a fork moves it on, all of this was the parent's.
  let generation: UInt32
  var rows = RowTable()
  var identifiers: EventIdentifiers
  /// How far the wall clock was from the one that is never set, in milliseconds, when that was last looked at.
  var clockOffset: Int64 = 0
  var live: [String: LiveRecord] = [:]
  var batches: [PipelineBatch] = []
  var holds: EventPipeline.Hold = .stopped
  var pace: any FetchPace

  // Storing
  /// Rows to be given to the store next, oldest first, among others that are gone.
  var unstored: [UInt64] = []
  /// Calls of the store that have not been answered.
  var puts = 0
  /// The first record of this process in each of them.
  var firstOfPuts: [UInt64] = []
  /// The last progress given to a journal (`JournalProgress`).
  var journalRound: UInt64 = 0
  var journalStep = 0
  /// Purges that the store has not carried out yet, as far as is known, and those of them that it is asked for.
  var owedPurges = 0
  var askedPurges = 0
  var storeTimer: (any Cancellable)?
  /// The store has failed just now: the timer is for the next try.
  var isStoreResting = false
  /// Something must not wait for a group (`EventIntake.askToStoreNow`).
  var mustStoreNow = false
  /// Below this, every record has come in.
  var takenBelow: UInt64 = 0
  /// The store's epoch that these rows belong to.
  var epoch: UInt64
  var isRenewing = false

  // Adoption
  var claims: [UInt64: [ByteKey]] = [:]
  var nextClaim: UInt64 = 0
  /// The last claim found something, or there was no room for any.
  var mayAdoptMore = false
  /// The last claim failed: the store may hold rows that no process sends.
  var isClaimOwed = false
  var adoptionTimer: (any Cancellable)?

  // Sending
  var nextAttempt: UInt64 = 0
  /// Sending goes on until nothing is left.
  var isFlushing = false
  /// There may be something to leave to others (`EventPipeline+Forwarding`).
  var isHandingOver = false
  var flushTimer: (any Cancellable)?
  var flushRequests: [@Sendable (FlushResult) -> Void] = []
  /// The service has refused something since a flush was last answered.
  var hasRefused = false
  /// Monotonic nanoseconds: where intervals are counted from, before when nothing is sent after a failure, and what of that
  /// the service has asked for.
  var startedAt = Int64.min
  var restUntil = Int64.min
  var askedUntil = Int64.min
  var restTimer: (any Cancellable)?
  /// The last attempt that had begun when one failed. Until a later one succeeds batches go one at a time.
  var doubtedUpTo: UInt64?
  /// The attempt with which the newest batch went for the first time.
  var newestTurn: UInt64 = 0
  /// Rows that go together, and with no others, oldest first: parts of a batch that the service refused, and batches of
  /// which it is not known whether they have arrived.
  var groups: [RowGroup] = []
  /// Rows that the policy did not admit when it was last asked, or that rest after a failure: they make no flush due.
  var blockedRows = 0
  /// After an answer that a batch was too large: smaller ones, until nothing waits.
  var splitRows: Int?

  /// Rows that wait for consent, and when they are looked through next.
  var asideCount = 0
  var nextAsideLook = Int64.min

  // Episodes
  /// When the present one of failures began, in nanoseconds of the monotonic clock.
  var failingSince: Int64?
  /// Lines of records that were dropped, since the last success.
  var dropLines = 0
  var isWithoutJournal = false

  init(_ options: EventPipeline.Options, generation: UInt32, epoch: UInt64, entropy: any Entropy) {
    self.generation = generation
    self.epoch = epoch
    identifiers = EventIdentifiers(high: entropy.next(), low: entropy.next())
    pace = options.pace
  }
}

/// Rows that are being sent, or wait to be sent again together. On the scheduler's thread only.
final class PipelineBatch: @unchecked Sendable {
  enum Stage {
    /// Being prepared or sent; the number distinguishes this attempt's answer from late ones.
    case sending(UInt64)
    /// Until the pipeline's pause is over.
    case sleeping
  }

  var numbers: [UInt64]
  var batch: EventBatch
  var request: HTTPRequest?
  /// As it went, the last time.
  var body: [UInt8]?
  var stage = Stage.sleeping
  /// The store knows which rows it has (`Options.keepsBatches`).
  var isSealed: Bool
  var exchange: (any Cancellable)?
  var timer: (any Cancellable)?
  /// The last attempt.
  var turn: UInt64 = 0
  /// Its own, from when it has failed while others were accepted; and until when it rests, in monotonic nanoseconds.
  var pace: (any FetchPace)?
  var restUntil = Int64.min

  init(numbers: [UInt64], batch: EventBatch, isSealed: Bool = false) {
    self.numbers = numbers
    self.batch = batch
    self.isSealed = isSealed
  }

  var isSending: Bool {
    if case .sending = stage { true } else { false }
  }

  func cancelTimers() {
    timer?.cancel()
    timer = nil
  }
}

/// Rows that are to be a batch of their own.
struct RowGroup {
  /// Of the batch.
  let id: String
  var numbers: [UInt64]
  /// Ids of rows that a claim may still bring.
  var missing: [ByteKey] = []
  /// The store knows it.
  var isSealed = false
}

/// A record that is still being counted: replaced under its id until it is sealed.
struct LiveRecord {
  var row: EventRow
  var isInStore = false
  /// Changed since it was last given to the store.
  var isDirty = true

  var bytes: Int { row.payload.count + row.subject.utf8.count }
}
