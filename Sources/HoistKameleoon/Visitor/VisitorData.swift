internal import HoistBase
internal import HoistCore

/// What is known of a visitor, and of those that are linked with it (protocols/kameleoon.md 4.5): they share it all but
/// their codes. Thread-safe.
final class VisitorData: SubjectRecord, @unchecked Sendable {
  private struct Member {
    weak var visitor: KameleoonVisitor?
  }

  let mark = WriteMark()

  /// Held during a change and the recording of what follows from it, so that records come in the order of the changes.
  /// Taken before `lock`.
  private let turn = InlineLock()
  private let lock = InlineLock()
  // Guarded by `lock`.
  private var draft: VisitorDraft
  private var members: [Member] = []
  /// The members' current snapshots; a change discards them, and the next decision makes them anew.
  private var current: [VisitorFacts] = []
  private var isChanged = false
  private var restoring = false
  private var kept = KeptState()

  /// - Parameter code: the visitor code that it is stored under.
  init(code: [UInt8], now: Int64) { draft = VisitorDraft(VisitorFacts.Content(code: code, visitStart: now)) }

  /// The visitor code that it is stored under.
  var code: [UInt8] { lock.withLock { draft.content.code } }

  /// Reads the state that is not published.
  func read<Result>(_ body: (borrowing VisitorFacts.Content, borrowing VisitorRest) -> Result) -> Result {
    lock.withLock { body(draft.content, draft.rest) }
  }

  /// Changes it in one step, for all visitors that share it.
  /// - Parameters:
  ///   - visitor: for whom it is changed.
  ///   - environment: how it is changed; asked with the lock held, so that a first configuration misses no visitor.
  ///   - body: short, and makes no calls out.
  ///   - record: takes what follows from the change, before another change can begin.
  func change(
    for code: [UInt8], _ environment: () -> VisitorEnvironment, _ body: (inout VisitorDraft) -> Void,
    record: (borrowing VisitorChange) -> Void
  ) {
    turn.withLock {
      let change = lock.withLock {
        kept.leaveToParent(draft)
        draft.begin(code, environment())
        body(&draft)
        isChanged = true
        outdate()
        return draft.end()
      }
      record(change)
    }
  }

  /// Whether the stored record is still being read; a record written now would overwrite it.
  var isRestoring: Bool { lock.withLock { restoring } }

  func beginRestoring() { lock.withLock { restoring = true } }

  /// - Returns: whether there is something to keep.
  func endRestoring() -> Bool {
    lock.withLock {
      restoring = false
      return isChanged
    }
  }

  /// An exposure found no room after all: the next decision reports it again.
  func forget(exposure experimentID: Int64) {
    lock.withLock {
      draft.content.assignments.setUnsent(false, of: experimentID)
      outdate()
    }
  }

  // MARK: Keeping

  /// The key it is stored under; nil when a link has taken its place.
  var storeKey: String? { lock.withLock { draft.content.code.isEmpty ? nil : VisitorStorage.key(draft.content.code) } }

  var isNewRefusal: Bool { lock.withLock { draft.content.consent == .refused && kept.base?.content.consent != .refused } }

  /// Notes the stored state, from which later changes are computed.
  func wasRead(_ content: VisitorFacts.Content, _ rest: VisitorRest) {
    lock.withLock { kept.base = KeptVisitor(content: content, rest: rest) }
  }

  func merge(into stored: [UInt8]?, under key: String) -> [UInt8]? {
    let (ours, known) = lock.withLock { () -> (KeptVisitor, KeptState) in
      kept.leaveToParent(draft)
      return (KeptVisitor(content: draft.content, rest: draft.rest), kept)
    }
    var merge = KeptState.Merge(ours: ours)
    defer { lock.withLock { kept.merge = merge } }
    guard VisitorStorage.key(ours.content.code) == key else { return stored }
    let hash = stored.map { $0.withBytes { Hash64.hash($0) } }
    switch stored.flatMap({ hash == known.hash ? nil : StoredVisitor(json: $0) }) {
    case .link(let owner, _) where !known.takesPlace && owner != ours.content.code:
      merge.owner = owner
      return stored
    case .visitor(let content, let rest):
      merge.result = KeptVisitor.merge(ours, base: known.base, theirs: KeptVisitor(content: content, rest: rest))
      merge.isChanged = true
    case .link, nil: merge.result = ours
    }
    let json = merge.result.map { StoredVisitor.json($0.content, $0.rest) }
    merge.hash = json.map { $0.withBytes { Hash64.hash($0) } }
    merge.head = merge.result.map { StoredVisitor.head($0.content, $0.rest) }
    merge.bytes = json?.count ?? 0
    return json
  }

  /// Whether what the last merge has made is to be kept whatever the age of the data in it. Where nothing was merged, it is.
  var isMergedLasting: Bool { lock.withLock { kept.merge?.result?.isLasting ?? true } }

  func addition(under key: String) -> CacheAddition? {
    let (ours, known) = lock.withLock { () -> (KeptVisitor, KeptState) in
      kept.leaveToParent(draft)
      return (KeptVisitor(content: draft.content, rest: draft.rest), kept)
    }
    guard known.hasRoom, let head = known.head, let base = known.base, VisitorStorage.key(ours.content.code) == key,
      let changes = ours.additions(since: base)
    else { return nil }
    let line = StoredVisitor.addition(changes)
    var merge = KeptState.Merge(ours: ours)
    // With what is too old here, which is still stored.
    (merge.result, merge.bytes) = (changes.laid(over: base), line.count)
    lock.withLock { kept.merge = merge }
    return CacheAddition(head: head, bytes: line)
  }

  func wasKept() {
    lock.withLock {
      guard let merge = kept.merge else { return }
      kept.merge = nil
      kept.news = KeptNews(owner: merge.owner)
      guard let result = merge.result else { return }
      kept.took(merge, result)
      guard merge.isChanged else { return }
      let former = draft.content.consent
      let new = KeptVisitor.merge(
        KeptVisitor(content: draft.content, rest: draft.rest), base: merge.ours, theirs: result)
      (draft.content, draft.rest) = (new.content, new.rest)
      kept.news?.isConsentChanged = former != new.content.consent
      outdate()
    }
  }

  /// What others have made of it, since this was asked last; nil for nothing.
  func takeHasChanged() -> KeptNews? {
    lock.withLock {
      defer { kept.news = nil }
      return kept.news
    }
  }

  /// Reads whether another process has stored a refusal that is not known here.
  /// - Returns: whether it is news.
  func hearRefusal(in stored: [UInt8]) -> Bool {
    let head = lock.withLock { draft.content.consent == .given ? kept.head ?? [] : nil }
    guard let head, head.isEmpty || !stored.starts(with: head) else { return false }
    guard StoredVisitor(json: stored)?.isRefusal == true else { return false }
    return lock.withLock {
      guard kept.base?.content.consent != .refused, draft.content.consent == .given else { return false }
      draft.content.consent = .refused
      kept.base?.content.consent = .refused
      outdate()
      return true
    }
  }

  // MARK: Visitors that share it

  /// A visitor shares it from now on.
  func join(_ visitor: KameleoonVisitor) {
    lock.withLock {
      if members.contains(where: { $0.visitor === visitor }) { return }
      members.removeAll { $0.visitor == nil }
      members.append(Member(visitor: visitor))
      publish(visitor)
    }
  }

  /// What a visitor decides by is made anew, unless that has been done, or its data is another one's by now.
  func renew(_ visitor: KameleoonVisitor) {
    lock.withLock { if visitor.isOutdated, members.contains(where: { $0.visitor === visitor }) { publish(visitor) } }
  }

  /// A visitor that shares it now had refused.
  /// - Returns: whether it is news.
  func takeRefusal() -> Bool {
    lock.withLock {
      guard draft.content.consent != .refused else { return false }
      kept.leaveToParent(draft)
      draft.content.consent = .refused
      isChanged = true
      outdate()
      return true
    }
  }

  /// A visitor has data of another one's from now on.
  func leave(_ visitor: KameleoonVisitor) {
    lock.withLock { members.removeAll { $0.visitor == nil || $0.visitor === visitor } }
  }

  /// - Parameter code: of a visitor that shares it; empty for none, and nothing is stored.
  func keep(under code: [UInt8]) {
    lock.withLock {
      draft.content.code = code
      // The record there is a link to the former key of this data.
      kept = KeptState(takesPlace: true)
    }
  }

  /// The open ones.
  var visitors: [KameleoonVisitor] { lock.withLock { members.compactMap(\.visitor) } }

  /// With `lock` held.
  private func outdate() {
    for facts in current { facts.outdate() }
    current.removeAll(keepingCapacity: true)
  }

  /// With `lock` held.
  private func publish(_ visitor: KameleoonVisitor) {
    let facts = VisitorFacts(draft.content, as: visitor.code)
    current.append(facts)
    visitor.publish(facts)
  }
}

/// What a change of a visitor depends on.
struct VisitorEnvironment {
  /// Milliseconds of Unix time.
  var now: Int64 = 0
  /// nil before the first configuration.
  var definitions: CustomDataDefinitions?
  /// Whether visitors have to consent (3.8).
  var requiresConsent = true
  var isStrict = false
  /// Whether the code of the visitor that is changed is a unique identifier (KAM-07).
  var isUnique = false
}

/// What follows from a change.
struct VisitorChange: ~Copyable {
  /// To be sent, in this order.
  var tracked: [TrackedDatum] = []
  /// The visitor, and whether consent is given or not required.
  var identity = TrackingIdentity(subject: [], code: [])
  var hasConsent = false
  /// Visitors that share the data from now on (KAM-67).
  var linked: [[UInt8]] = []
  /// Whether the code is a unique identifier from now on; nil: as before.
  var isUnique: Bool?
  var complaints: [String] = []
}
