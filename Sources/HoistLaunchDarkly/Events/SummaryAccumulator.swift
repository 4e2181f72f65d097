internal import HoistBase

/// The counters of all evaluations (4.4.5): one summary for all contexts, or one for each (LD-90). Thread-safe.
///
/// Counts of stored flags come from cells, in one go; evaluating threads come here for the first evaluation of a flag in a
/// period, and for what has no cell: unknown flags and prerequisites.
final class SummaryAccumulator: @unchecked Sendable {
  /// Contexts of one period with a summary of their own; evaluations for further ones are dropped and counted.
  static let maximumContexts = 1000

  /// One summary event, and the name that it keeps as long as it is counted.
  struct SummaryEvent {
    let name: String
    let event: [UInt8]
  }

  fileprivate struct ContextSummary {
    let name: String
    /// nil for all contexts.
    let context: EventContext?
    var open: EvaluationSummary
    /// The latest one that was not empty.
    var former: EvaluationSummary?
    /// Something was noted or counted since it was last asked for.
    var isNews = false
  }

  private let isPerContext: Bool
  private let lock = Lock()
  private var summaries: [ContextSummary] = []
  private var nextName = 0
  /// Milliseconds since 1970.
  private var start: Int64
  private var lost: UInt64 = 0

  init(isPerContext: Bool, startUnixMilliseconds: Int64) {
    self.isPerContext = isPerContext
    start = startUnixMilliseconds
  }

  // Any thread.

  /// What the first evaluation of a flag in a period was; its count comes with those of the cells.
  /// - Parameters:
  ///   - kinds: of the evaluation's context, as JSON strings.
  ///   - context: the owner of a summary of its own; nil where one summary is for all.
  ///   - unixMilliseconds: when a period begins that begins with its first evaluation (server 7.4).
  func note(
    _ use: FlagUse, kinds: [[UInt8]], _ context: EventContext?, at unixMilliseconds: Int64? = nil, then: () -> Void = {}
  ) {
    lock.withLock {
      guard let at = summary(of: context) else { return }
      note(use, kinds, in: at, unixMilliseconds)
      then()
    }
  }

  /// An evaluation that has no cell.
  func count(_ use: FlagUse, kinds: [[UInt8]], _ context: EventContext?, at unixMilliseconds: Int64? = nil) {
    lock.withLock {
      guard let at = summary(of: context) else { return lost &+= 1 }
      note(use, kinds, in: at, unixMilliseconds)
      summaries[at].open.count(use.key, use.identity)
    }
  }

  private func note(_ use: FlagUse, _ kinds: [[UInt8]], in summary: Int, _ unixMilliseconds: Int64?) {
    summaries[summary].isNews = true
    if let unixMilliseconds { summaries[summary].open.beginsAtFirst(unixMilliseconds) }
    summaries[summary].open.note(use.key, use.identity, kinds: kinds, result: use.result, fallback: use.fallback)
  }

  /// Counts of a cell.
  func count(_ key: ByteView, _ identity: CounterIdentity, times: UInt64, _ context: EventContext?) {
    lock.withLock {
      guard let at = summary(of: context) else { return lost &+= times }
      summaries[at].isNews = true
      summaries[at].open.count(key, identity, times: times)
    }
  }

  /// Evaluations that found no room in any summary.
  var overflow: UInt64 { lock.withLock { summaries.reduce(lost) { $0 &+ $1.open.overflow } } }

  private func summary(of context: EventContext?) -> Int? {
    let known = summaries.firstIndex { !isPerContext || $0.context?.fingerprint == context?.fingerprint }
    if let known { return known }
    guard summaries.count < Self.maximumContexts else { return nil }
    summaries.append(
      ContextSummary(
        name: nextName == 0 ? "summary" : "summary-\(nextName)", context: isPerContext ? context : nil,
        open: EvaluationSummary(startUnixMilliseconds: start)))
    nextName += 1
    return summaries.count - 1
  }

  // The scheduler's thread.

  /// The summaries as they are now, of those that have changed since the last call.
  func news(nowUnixMilliseconds now: Int64) -> [SummaryEvent] {
    let changed = lock.withLock {
      summaries.indices.compactMap { at -> ContextSummary? in
        guard summaries[at].isNews else { return nil }
        summaries[at].isNews = false
        return summaries[at]
      }
    }
    // Evaluations go on meanwhile.
    return changed.compactMap { $0.event(now) }
  }

  /// Ends the period.
  /// - Parameter begin: runs while nothing can be noted: from then on each flag's next evaluation is its first.
  /// - Returns: the summaries of what was evaluated, none when nothing was.
  func close(nowUnixMilliseconds now: Int64, begin: () -> Void) -> [SummaryEvent] {
    let closed = lock.withLock {
      for at in summaries.indices {
        if let former = summaries[at].former { summaries[at].open.complete(from: former) }
      }
      let closed = summaries
      start = now
      for at in summaries.indices {
        let ended = summaries[at].open
        lost &+= ended.overflow
        summaries[at].open = ended.remainder(startUnixMilliseconds: now)
        summaries[at].isNews = false
        if !ended.flags.isEmpty { summaries[at].former = ended } else if isPerContext { summaries[at].former = nil }
      }
      if isPerContext { summaries.removeAll { $0.former == nil && $0.open.flags.isEmpty } }
      begin()
      return closed
    }
    // Evaluations go on meanwhile.
    return closed.compactMap { $0.event(now) }
  }

  /// In a forked child: what was counted is the parent's to send.
  func forget(nowUnixMilliseconds now: Int64) {
    lock.withLock {
      summaries = []
      start = now
    }
  }
}

extension SummaryAccumulator.ContextSummary {
  fileprivate func event(_ now: Int64) -> SummaryAccumulator.SummaryEvent? {
    guard open.hasReportable else { return nil }
    return SummaryAccumulator.SummaryEvent(
      name: name, event: open.event(endUnixMilliseconds: now, context: context?.anonymousJSON))
  }
}

extension FlagUse {
  /// An unknown flag has neither variation nor version.
  var identity: CounterIdentity { flag?.identity ?? CounterIdentity() }
}
