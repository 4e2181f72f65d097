public import HoistBase
internal import Synchronization

/// Brings records of one kind to a service, through failures of the network, the disk and the process.
///
/// A record comes in from any thread at the cost of a copy, waits in bounded memory and, by the pipeline's durability,
/// in the client's store; it leaves both only when the service has accepted it, the policy gives it up (counted), or
/// its subject is purged. Every record has one id, on all attempts and in all processes: delivery is at least once, and
/// once where the service looks at ids. Rows of dead processes are claimed.
///
/// Everything but recording runs on the scheduler's thread. In a forked child the pipeline is empty: the parent sends
/// what was recorded before the fork.
public final class EventPipeline: @unchecked Sendable {
  public let options: Options
  let policy: any EventPolicy
  let sink: any EventSink
  let store: Store
  let log: Log
  let clock: any Clock
  let scheduler: any Scheduler
  let entropy: any Entropy
  let intake: EventIntake
  /// Tells the client's observers.
  let notify: @Sendable (Notification) -> Void
  /// Rows that wait for consent, for those who record.
  let asideRows = Atomic(0)
  /// Posted often: made once.
  let turnNow: WeakWork
  private let turnSoon: WeakWork

  /// The scheduler thread's.
  var state: PipelineState
  /// What others have recorded for its like. The scheduler thread's.
  weak var forwarded: EventPipeline?
  /// What of it any thread may read; guarded by its own lock.
  let tally: PipelineTally
  let journals: JournalSlot

  public init(
    options: Options, policy: any EventPolicy, sink: any EventSink, store: Store, log: Log, clock: any Clock,
    scheduler: any Scheduler, entropy: any Entropy = SystemEntropy(),
    notify: @escaping @Sendable (Notification) -> Void = { _ in }
  ) {
    self.notify = notify
    var options = options
    // What is left to others has to be stored.
    if store.options.forwards, options.durability == .memory { options.durability = .periodic }
    self.options = options
    self.policy = policy
    self.sink = sink
    self.store = store
    self.log = log
    self.clock = clock
    self.scheduler = scheduler
    self.entropy = entropy
    let generation = scheduler.generation
    intake = EventIntake(
      limits: EventIntake.Limits(
        rows: max(1, options.maximumRows), bytes: max(1, options.maximumBytes),
        rowBytes: max(0, options.maximumRowBytes), dropsOldest: options.overflow == .dropOldest),
      generation: generation)
    state = PipelineState(options, generation: generation, epoch: store.ownerEpoch, entropy: entropy)
    tally = PipelineTally(generation: generation)
    journals = JournalSlot(generation: generation)
    turnNow = WeakWork()
    turnSoon = WeakWork()
    state.clockOffset = clock.unixMilliseconds &- steadyMilliseconds
    if options.durability == .immediate {
      intake.with { $0.leastPriority = .now }
      store.order.add(intake)
    }
    turnNow.work = { [weak self] in self?.turn() }
    turnSoon.work = { [weak self] in self?.turnSoonest() }
  }

  deinit { store.order.remove(intake) }

  /// A pipeline of a provider's.
  /// - Parameters:
  ///   - sink: nil for the client's.
  ///   - store: nil for the client's.
  public convenience init(
    _ options: Options, policy: any EventPolicy, host: any ProviderHost, sink: (any EventSink)? = nil, store: Store? = nil
  ) {
    self.init(
      options: options, policy: policy, sink: sink ?? host.delivery, store: store ?? host.store, log: host.log,
      clock: host.clock, scheduler: host.scheduler, entropy: host.entropy
    ) { [weak host] in host?.notify($0) }
    host.note(self)
  }

  /// Records something. Any thread. What one thread records is sent in its order; of two threads' records, the one whose
  /// call returned before the other's began comes first.
  /// - Parameters:
  ///   - payload: in a form of the provider's own, which its policy understands. Copied.
  ///   - subject: the person concerned, who may withdraw consent; empty for a record that survives even that. Copied.
  ///   - tail: the second part of a payload that is in two pieces. Copied.
  ///   - unixMilliseconds: when it happened.
  ///   - awaitsConsent: what the policy will say of it: there has to be room among those.
  /// - Returns: `.stored` only with `.immediate`, when the record is in the journal, or the commit came within its limit;
  ///   `.unsaved` when it should have been, and is not.
  @discardableResult
  public func record(
    _ payload: ByteView, tail: ByteView = ByteView(start: nil, count: 0), subject: ByteView = ByteView(start: nil, count: 0),
    unixMilliseconds: Int64, awaitsConsent: Bool = false, waits wished: Wait = .forCommit
  ) -> Outcome {
    if awaitsConsent, asideRows.load(ordering: .relaxed) >= options.consentRows { return refuseAside() }
    let wait = mayWait ? wished : .never
    let deadline = wait.isForJournal ? commitDeadline : 0
    let outcome = record(payload, tail, subject, unixMilliseconds, wait, untilNanoseconds: deadline)
    if case .queued = outcome, options.durability == .immediate, store.keepsEvents, wished.isWanted { return unsaved() }
    if case .stored = outcome { awaitEarlier(wait, untilNanoseconds: deadline) }
    return outcome
  }

  /// A caller that waits for a commit is told of it when what was recorded before is stored as well, as far as the store takes it.
  private func awaitEarlier(_ wait: Wait, untilNanoseconds deadline: Int64) {
    switch wait {
    case .never, .forJournal: break
    case .forCommit: store.order.settle(generation: scheduler.generation, untilNanoseconds: deadline)
    case .forStore(let deadline): store.order.settle(generation: scheduler.generation, untilNanoseconds: deadline)
    }
  }

  private func unsaved() -> Outcome {
    tally.count { $0.unsaved += 1 }
    return .unsaved
  }

  private func refuseAside() -> Outcome {
    let begins = intake.with { state in
      state.dropped &+= 1
      defer { state.isAsideFull = true }
      return !state.isAsideFull
    }
    if begins {
      log.warning("events: \(options.consentRows) records of \"\(options.name)\" wait for consent; further ones are dropped")
    }
    return .dropped
  }

  private func record(
    _ payload: ByteView, _ tail: ByteView, _ subject: ByteView, _ unixMilliseconds: Int64, _ wait: Wait,
    untilNanoseconds deadline: Int64
  ) -> Outcome {
    if wait.isForJournal,
      let outcome = recordInJournal(
        payload, tail: tail, subject: subject, unixMilliseconds: unixMilliseconds, waits: wait, untilNanoseconds: deadline)
    {
      return outcome
    }
    return conclude(
      intake.append(
        created: unixMilliseconds, subject: subject, payload: payload, tail: tail, generation: scheduler.generation),
      wait, untilNanoseconds: deadline)
  }

  private var mayWait: Bool { options.durability == .immediate && store.keepsEvents && !Thread.isOwn }

  /// The outcome of a record that is in no journal.
  /// - Parameter deadline: the limit of a caller that waits for the commit.
  func conclude(_ answer: EventIntake.Answer, _ wait: Wait, untilNanoseconds deadline: Int64) -> Outcome {
    guard wake(for: answer) else { return .dropped }
    if options.durability == .immediate, store.keepsEvents { intake.noteLoose(answer.sequence) }
    switch wait {
    case .forCommit: return awaitCommit(of: answer.sequence, untilNanoseconds: deadline)
    case .forStore(let deadline): return awaitCommit(of: answer.sequence, untilNanoseconds: deadline)
    case .never, .forJournal:
      if journals.isOpen { storeNow() }
      return .queued
    }
  }

  /// Asks for the turn that a record needs.
  /// - Returns: whether it is taken.
  func wake(for answer: EventIntake.Answer) -> Bool {
    switch answer.priority {
    case .none: break
    case .soon: scheduler.post(turnSoon.work)
    case .now: scheduler.post(turnNow.work)
    }
    if answer.beginsEpisode { warnOfDrops() }
    return answer.isTaken
  }

  /// The same for text and arrays.
  @discardableResult
  public func record(_ payload: some ByteSource, subject: some ByteSource, unixMilliseconds: Int64) -> Outcome {
    payload.withBytes { payload in
      subject.withBytes { record(payload, subject: $0, unixMilliseconds: unixMilliseconds) }
    }
  }

  /// Not on a thread of the library's own, where waiting would keep the commit from happening.
  private func awaitCommit(of sequence: UInt64, untilNanoseconds deadline: Int64) -> Outcome {
    if journals.isOpen { storeNow() }
    return intake.progress.waitForCommit(of: sequence, untilNanoseconds: deadline) ? .stored : .queued
  }

  /// Waits, with `.immediate`, until everything that was recorded so far is stored, within the limit of one record: for
  /// a caller that has recorded with `.never`. Any thread.
  /// - Returns: `.unsaved` when it is not, as on a thread of the library's own.
  public func waitForCommit() -> Outcome {
    guard options.durability == .immediate, store.keepsEvents else { return .queued }
    let next = intake.with(\.nextSequence)
    guard next > 0 else { return .stored }
    guard mayWait else { return unsaved() }
    let deadline = commitDeadline
    guard awaitCommit(of: next &- 1, untilNanoseconds: deadline) == .stored else { return unsaved() }
    awaitEarlier(.forCommit, untilNanoseconds: deadline)
    return .stored
  }

  var commitDeadline: Int64 {
    SystemClock().monotonicNanoseconds &+ options.commitLimitMilliseconds &* 1_000_000
  }

  private func warnOfDrops() {
    log.warning(
      "events: the queue \"\(options.name)\" is full; further records are dropped until there is room (see statistics)")
  }

  /// Sends what is there, without waiting for the interval. Callable from any thread.
  /// - Parameter completion: runs once, on the scheduler's thread: when nothing is left, or as soon as something has to
  ///   wait: for the service, a hold, or another attempt.
  public func flush(completion: @escaping @Sendable (FlushResult) -> Void = { _ in }) {
    scheduler.post { [self] in flushNow(completion) }
  }

  /// Forgets what was recorded about a subject, in memory, in the store and, as far as it can still be
  /// stopped, on its way; nothing of it is sent again. Records made after this call stay, and are in
  /// the store only when the purge is. Callable from any thread.
  /// - Parameter deadline: the limit of the wait, with `.immediate`, until the store has the purge: what is recorded
  ///   afterwards, in any pipeline over this store, is then stored after it. In nanoseconds of the machine's clock.
  public func purge(subject: String, waitsForStoreUntil deadline: Int64? = nil) {
    guard !subject.isEmpty else { return }
    if countsPurges { store.beginPurge() }
    let number = intake.requestPurge(of: ByteKey(subject), generation: scheduler.generation)
    scheduler.post { [self] in turn() }
    guard let deadline, options.durability == .immediate, store.keepsEvents, !Thread.isOwn else { return }
    intake.progress.waitForPurge(number, untilNanoseconds: deadline)
  }

  /// Drains the intake, as each turn does: all earlier records are then in their stored form. On the scheduler's
  /// thread.
  public func drainRecords() {
    scheduler.assertCurrent()
    abandonInheritance()
    drainIntake()
  }

  /// Shows what waits to be sent, oldest first, what was recorded just now included. On the scheduler's thread.
  public func forEachWaiting(_ body: (EventRow) -> Void) {
    scheduler.assertCurrent()
    drainRecords()
    state.rows.forEachWaiting { _, row in
      body(row.row)
      return true
    }
  }

  /// Nothing new is sent until the hold is lifted; rows wait and are stored. Callable from any thread.
  public func hold(_ hold: Hold) { scheduler.post { [self] in setHold(hold, true) } }

  /// Lifts a hold. Callable from any thread.
  public func lift(_ hold: Hold) { scheduler.post { [self] in setHold(hold, false) } }

  public var counters: Counters {
    let generation = scheduler.generation
    var counters = tally.counters(generation)
    intake.with {
      counters.recorded = $0.recorded
      counters.dropped = $0.dropped
      let rows = $0.totalRows + asideRows.load(ordering: .relaxed)
      counters.waiting = $0.generation == generation ? max(0, rows - counters.inFlight) : 0
      if counters.waiting + counters.inFlight > 0, let since = tally.oldestSince(generation) {
        counters.oldestMilliseconds = Int(clamping: max(0, steadyMilliseconds &- since))
      }
    }
    return counters
  }
}

/// A closure that is made once and posted often.
final class WeakWork: @unchecked Sendable {
  /// Set while its owner is being made, then only read.
  var work: @Sendable () -> Void = {}
}

/// Counters that the scheduler's thread writes and any thread reads.
final class PipelineTally: @unchecked Sendable {
  private let lock = Lock()
  private var kept = EventPipeline.Counters()
  private var oldest: Int64?
  private var generation: UInt32

  init(generation: UInt32) { self.generation = generation }

  /// What is on its way in the parent is not the child's.
  func counters(_ current: UInt32) -> EventPipeline.Counters {
    lock.withLock {
      if generation != current {
        generation = current
        kept.inFlight = 0
        oldest = nil
      }
      return kept
    }
  }

  /// When the oldest record that is here was recorded, by the pipeline's `steadyMilliseconds`.
  func oldestSince(_ current: UInt32) -> Int64? { lock.withLock { generation == current ? oldest : nil } }
  func note(oldest: Int64?) { lock.withLock { self.oldest = oldest } }

  func count(_ change: (inout EventPipeline.Counters) -> Void) { lock.withLock { change(&kept) } }
}

extension EventPipeline.Wait {
  /// Whether who records wants it stored.
  var isWanted: Bool {
    if case .never = self { false } else { true }
  }

  var isForJournal: Bool {
    switch self {
    case .forJournal, .forCommit: true
    case .never, .forStore: false
    }
  }
}
