internal import HoistBase

/// The counters of all evaluations (4.4.5): one summary for all contexts, or one for each (LD-90). Thread-safe.
///
/// Counts of stored flags come from cells, in one go; evaluating threads come here for the first evaluation of a flag in a
/// period, and for what has no cell: unknown flags and prerequisites.
final class SummaryBook: @unchecked Sendable {
  /// Contexts of one period with a summary of their own; evaluations for further ones are dropped and counted.
  static let maximumContexts = 1000

  /// One summary event, and the name that it keeps as long as it is counted.
  struct Page {
    let name: String
    let event: [UInt8]
  }

  fileprivate struct Chapter {
    let name: String
    /// nil for all contexts.
    let context: EventContext?
    var open: EvaluationSummary
    /// The latest one that had anything in it.
    var former: EvaluationSummary?
    /// Something was noted or counted since it was last asked for.
    var isNews = false
  }

  private let isPerContext: Bool
  private let lock = Lock()
  private var chapters: [Chapter] = []
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
  func note(_ use: FlagUse, _ context: EventContext, then: () -> Void = {}) {
    lock.withLock {
      guard let at = chapter(of: context) else { return }
      note(use, context, in: at)
      then()
    }
  }

  /// An evaluation that has no cell.
  func count(_ use: FlagUse, _ context: EventContext) {
    lock.withLock {
      guard let at = chapter(of: context) else { return lost &+= 1 }
      note(use, context, in: at)
      chapters[at].open.count(use.key, use.identity)
    }
  }

  private func note(_ use: FlagUse, _ context: EventContext, in chapter: Int) {
    chapters[chapter].isNews = true
    chapters[chapter].open.note(use.key, use.identity, kinds: context.kinds, result: use.result, fallback: use.fallback)
  }

  /// Counts of a cell.
  func count(_ key: ByteView, _ identity: CounterIdentity, times: UInt64, _ context: EventContext) {
    lock.withLock {
      guard let at = chapter(of: context) else { return lost &+= times }
      chapters[at].isNews = true
      chapters[at].open.count(key, identity, times: times)
    }
  }

  /// Evaluations that found no room in any summary.
  var overflow: UInt64 { lock.withLock { chapters.reduce(lost) { $0 &+ $1.open.overflow } } }

  private func chapter(of context: EventContext) -> Int? {
    let known = chapters.firstIndex { !isPerContext || $0.context?.fingerprint == context.fingerprint }
    if let known { return known }
    guard chapters.count < Self.maximumContexts else { return nil }
    chapters.append(
      Chapter(
        name: nextName == 0 ? "summary" : "summary-\(nextName)", context: isPerContext ? context : nil,
        open: EvaluationSummary(startUnixMilliseconds: start)))
    nextName += 1
    return chapters.count - 1
  }

  // The scheduler's thread.

  /// The summaries as they are now, of those that have changed since the last call.
  func news(nowUnixMilliseconds now: Int64) -> [Page] {
    lock.withLock {
      chapters.indices.compactMap { at in
        guard chapters[at].isNews else { return nil }
        chapters[at].isNews = false
        return chapters[at].page(now)
      }
    }
  }

  /// Ends the period.
  /// - Parameter begin: runs while nothing can be noted: from then on each flag's next evaluation is its first.
  /// - Returns: the summaries of what was evaluated, none when nothing was.
  func close(nowUnixMilliseconds now: Int64, begin: () -> Void) -> [Page] {
    lock.withLock {
      let pages = chapters.indices.compactMap { at in
        if let former = chapters[at].former { chapters[at].open.complete(from: former) }
        return chapters[at].page(now)
      }
      start = now
      for at in chapters.indices {
        let ended = chapters[at].open
        lost &+= ended.overflow
        chapters[at].open = ended.remainder(startUnixMilliseconds: now)
        chapters[at].isNews = false
        if !ended.flags.isEmpty { chapters[at].former = ended } else if isPerContext { chapters[at].former = nil }
      }
      if isPerContext { chapters.removeAll { $0.former == nil && $0.open.flags.isEmpty } }
      begin()
      return pages
    }
  }

  /// In a forked child: what was counted is the parent's to send.
  func forget(nowUnixMilliseconds now: Int64) {
    lock.withLock {
      chapters = []
      start = now
    }
  }
}

extension SummaryBook.Chapter {
  fileprivate func page(_ now: Int64) -> SummaryBook.Page? {
    guard open.hasReportable else { return nil }
    return SummaryBook.Page(name: name, event: open.event(endUnixMilliseconds: now, context: context?.anonymousJSON))
  }
}

extension FlagUse {
  /// An unknown flag has neither variation nor version.
  var identity: CounterIdentity { flag?.identity ?? CounterIdentity() }
}
