internal import HoistBase
internal import HoistCore

/// What is known of a visitor, and of those that are linked with it (protocols/kameleoon.md 4.5): they share it all but
/// their codes. Thread-safe.
final class VisitorData: @unchecked Sendable {
  private struct Member {
    weak var visitor: KameleoonVisitor?
  }

  /// Held during a change and the recording of what follows from it, so that records come in the order of the changes.
  /// Taken before `lock`.
  private let turn = Lock()
  private let lock = Lock()
  // Guarded by `lock`.
  /// What is known, changed where it stands: a copy would be one of every list in it.
  private var draft: VisitorDraft
  private var members: [Member] = []
  /// What members decide by and that is still so; a change outdates it, and whoever decides next makes it anew.
  private var current: [VisitorFacts] = []
  private var isChanged = false
  private var restoring = false
  /// Of the scheduler, where a change waits to be written.
  private var unwritten: UInt32?

  /// - Parameter code: of the visitor under which it is kept.
  init(code: [UInt8], now: Int64) { draft = VisitorDraft(VisitorFacts.Content(code: code, visitStart: now)) }

  /// Under whose code it is kept.
  var code: [UInt8] { lock.withLock { draft.content.code } }

  /// Reads what is not published.
  func read<Result>(_ body: (borrowing VisitorFacts.Content, borrowing VisitorRest) -> Result) -> Result {
    lock.withLock { body(draft.content, draft.rest) }
  }

  /// Changes it in one step, for those who share it.
  /// - Parameters:
  ///   - visitor: for whom it is changed.
  ///   - environment: how it is changed; asked with the lock held, so that a first configuration misses nobody.
  ///   - body: short, and calls nobody.
  ///   - record: takes what follows from the change, before another change can begin.
  func change(
    for code: [UInt8], _ environment: () -> VisitorEnvironment, _ body: (inout VisitorDraft) -> Void,
    record: (VisitorChange) -> Void
  ) {
    turn.withLock {
      let change = lock.withLock {
        draft.begin(code, environment())
        body(&draft)
        isChanged = true
        outdate()
        return draft.end()
      }
      record(change)
    }
  }

  /// Whether the store has yet to tell what it has, which a record made now would take the place of.
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

  // MARK: Writing

  /// A change is to be written.
  /// - Parameter generation: of the scheduler that will write it; what the parent of a forked child has left is the parent's.
  /// - Returns: false when another change waits for the same already.
  func beginWaiting(_ generation: UInt32) -> Bool {
    lock.withLock {
      defer { unwritten = generation }
      return unwritten != generation
    }
  }

  func isWaiting(_ generation: UInt32) -> Bool { lock.withLock { unwritten == generation } }

  /// Later changes wait anew.
  func endWaiting() { lock.withLock { unwritten = nil } }

  /// What is to be written.
  var record: (code: [UInt8], json: [UInt8]) {
    lock.withLock { (draft.content.code, VisitorRecord.json(draft.content, draft.rest)) }
  }

  // MARK: Those who share it

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

  /// A visitor has data of another one's from now on.
  func leave(_ visitor: KameleoonVisitor) {
    lock.withLock { members.removeAll { $0.visitor == nil || $0.visitor === visitor } }
  }

  /// - Parameter code: of one who shares it; empty for nobody, of whom nothing is kept.
  func keep(under code: [UInt8]) { lock.withLock { draft.content.code = code } }

  /// Those who are open.
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
struct VisitorChange {
  /// To be sent, in this order.
  var tracked: [TrackedDatum] = []
  /// Whom that speaks of, and whether consent is given, or not required.
  var identity = TrackingIdentity(subject: [], code: [])
  var hasConsent = false
  /// Visitors that share the data from now on (KAM-67).
  var linked: [[UInt8]] = []
  /// Whether the code is a unique identifier from now on; nil: as before.
  var isUnique: Bool?
  var complaints: [String] = []
}
