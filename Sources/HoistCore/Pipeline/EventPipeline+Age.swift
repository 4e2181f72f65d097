internal import HoistBase

/// How old records are. They are dated by the wall clock, which may be set while they wait; the clock that is never set
/// tells how long that was, also to another run of the same boot.
extension EventPipeline {
  /// The wall clock is slewed by less between two turns, and two readings lie less apart.
  private static var slewMilliseconds: UInt64 { 10_000 }
  /// 2020-01-01: what is dated before it was recorded while the machine's clock was not set.
  private static var earliestUnixMilliseconds: Int64 { 1_577_836_800_000 }

  /// Of the clock that is never set.
  var steadyMilliseconds: Int64 { clock.monotonicNanoseconds / 1_000_000 }

  /// When something was recorded, by the clock that is never set. Where the wall clock was set since the last turn, that may
  /// have been before or after: whichever is later, and not ahead.
  func steadyDate(of created: Int64, _ wall: Int64, _ steady: Int64) -> Int64 {
    let after = wall &- created
    let before = after &- (wall &- steady &- state.clockOffset)
    return steady &- max(0, before < 0 || 0...before ~= after ? after : before)
  }

  /// Where the wall clock was set since the last turn, everything here is dated anew, and in the store, too.
  func followClock() {
    let (wall, steady) = (clock.unixMilliseconds, steadyMilliseconds)
    let offset = wall &- steady
    defer { state.clockOffset = offset }
    guard (offset &- state.clockOffset).magnitude > Self.slewMilliseconds, !state.rows.isEmpty else { return }
    state.rows.date { wall &- (steady &- $0.since) }
    for batch in state.batches {
      for (place, number) in batch.numbers.enumerated() where place < batch.batch.rows.count {
        if let row = state.rows[number]?.row, row.id == batch.batch.rows[place].id { batch.batch.rows[place] = row }
      }
    }
    if isStoring { state.unstored = state.rows.rows.keys.sorted() }
  }

  private var hasAges: Bool { options.maximumAgeMilliseconds != nil || options.consentAgeMilliseconds != nil }

  /// The payload for the store or a journal.
  /// - Parameter age: of the record.
  func marked(_ payload: [UInt8], age: Int64) -> [UInt8] {
    guard hasAges, var moment = clock.bootMoment else { return payload }
    moment.milliseconds &-= age
    var marked = payload
    moment.mark(&marked)
    return marked
  }

  /// Rows that another run has left, oldest first. Of the same boot their age is known, though either run's wall clock may
  /// have been wrong. Else, where a date cannot be, the row's age begins now, and the store does not have it as it is.
  func adopted(_ rows: [EventRow], epoch: UInt64) -> [PipelineRow] {
    let (wall, steady, here) = (clock.unixMilliseconds, steadyMilliseconds, clock.bootMoment)
    var (dated, undated): ([PipelineRow], [PipelineRow]) = ([], [])
    for var row in rows {
      let moment = hasAges ? BootMoment.take(from: &row.payload) : nil
      var isDated = Self.earliestUnixMilliseconds <= row.createdUnixMilliseconds && row.createdUnixMilliseconds <= wall
      if let moment, let here, moment.boot == here.boot, moment.milliseconds <= here.milliseconds {
        let created = wall &- (here.milliseconds &- moment.milliseconds)
        if (created &- row.createdUnixMilliseconds).magnitude > Self.slewMilliseconds { row.createdUnixMilliseconds = created }
        isDated = true
      }
      if !isDated { row.createdUnixMilliseconds = wall }
      let new = PipelineRow(
        row: row, since: steady &- (wall &- row.createdUnixMilliseconds), isInStore: true, epoch: epoch, isRedated: !isDated,
        isAside: policy.awaitsConsent(row))
      if isDated { dated.append(new) } else { undated.append(new) }
    }
    return dated + undated
  }

  func noteOldest() {
    var oldest: Int64?
    state.rows.forEachWaiting { _, row in
      oldest = row.since
      return false
    }
    for batch in state.batches {
      if let since = batch.numbers.first.flatMap({ state.rows[$0]?.since }) { oldest = min(oldest ?? since, since) }
    }
    tally.note(oldest: oldest)
  }

  func expire() {
    expireAside()
    guard let age = options.maximumAgeMilliseconds else { return }
    let oldest = clock.unixMilliseconds.subtractingReportingOverflow(age)
    guard !oldest.overflow else { return }
    var expired: [UInt64] = []
    state.rows.forEachWaiting { number, row in
      guard row.row.createdUnixMilliseconds < oldest.partialValue else { return false }
      expired.append(number)
      return true
    }
    settle(expired)
    if !expired.isEmpty { tally.count { $0.expired += expired.count } }
  }

  /// Those that wait for consent have an age of their own; looked through now and then, for they stand among the others.
  private func expireAside() {
    guard let age = options.consentAgeMilliseconds, state.asideCount > 0 else { return }
    let now = clock.monotonicNanoseconds
    guard now >= state.nextAsideLook else { return }
    state.nextAsideLook = now &+ Self.asideLookNanoseconds
    let oldest = clock.unixMilliseconds.subtractingReportingOverflow(age)
    var expired: [UInt64] = []
    state.rows.forEachWaiting { number, row in
      if row.isAside, !oldest.overflow, row.row.createdUnixMilliseconds < oldest.partialValue { expired.append(number) }
      return true
    }
    settle(expired)
    if !expired.isEmpty { tally.count { $0.expired += expired.count } }
  }

  private static var asideLookNanoseconds: Int64 { 1_000_000_000 }
}
