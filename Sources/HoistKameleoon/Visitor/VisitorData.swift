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
  private var content: VisitorFacts.Content
  private var rest = VisitorRest()
  private var members: [Member] = []
  private var isChanged = false
  private var restoring = false

  /// - Parameter code: of the visitor under which it is kept.
  init(code: [UInt8], now: Int64) { content = VisitorFacts.Content(code: code, visitStart: now) }

  /// Under whose code it is kept.
  var code: [UInt8] { lock.withLock { content.code } }

  /// Reads what is not published.
  func read<Result>(_ body: (VisitorFacts.Content, VisitorRest) -> Result) -> Result {
    lock.withLock { body(content, rest) }
  }

  /// Changes it in one step, for those who share it.
  /// - Parameters:
  ///   - visitor: for whom it is changed.
  ///   - environment: how it is changed; asked with the lock held, so that a first configuration misses nobody.
  ///   - body: short, and calls nobody.
  ///   - record: takes what follows from the change, before another change can begin.
  func change(
    for code: [UInt8], _ environment: () -> VisitorEnvironment, _ body: (inout VisitorDraft) -> Void,
    record: (VisitorDraft) -> Void
  ) {
    turn.withLock {
      let draft = lock.withLock {
        let environment = environment()
        var draft = VisitorDraft(
          content: content, rest: rest, code: code, now: environment.now, definitions: environment.definitions,
          isStrict: environment.isStrict)
        body(&draft)
        isChanged = true
        content = draft.content
        rest = draft.rest
        publish()
        return draft
      }
      record(draft)
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

  /// A visitor shares it from now on.
  func join(_ visitor: KameleoonVisitor) {
    lock.withLock {
      members.removeAll { $0.visitor == nil || $0.visitor === visitor }
      members.append(Member(visitor: visitor))
      visitor.publish(content)
    }
  }

  /// A visitor has data of another one's from now on.
  func leave(_ visitor: KameleoonVisitor) {
    lock.withLock { members.removeAll { $0.visitor == nil || $0.visitor === visitor } }
  }

  /// - Parameter code: of one who shares it; empty for nobody, of whom nothing is kept.
  func keep(under code: [UInt8]) { lock.withLock { content.code = code } }

  /// Those who are open.
  var visitors: [KameleoonVisitor] { lock.withLock { members.compactMap(\.visitor) } }

  /// With `lock` held.
  private func publish() { for member in members { member.visitor?.publish(content) } }
}

/// What a change of a visitor depends on.
struct VisitorEnvironment {
  /// Milliseconds of Unix time.
  var now: Int64
  /// nil before the first configuration.
  var definitions: CustomDataDefinitions?
  var isStrict: Bool
}
