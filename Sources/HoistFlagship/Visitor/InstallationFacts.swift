internal import HoistBase
internal import HoistCore

/// What visitors need to know of the installation: whether one was made before (FS-109), and the id that was generated
/// (protocols/flagship.md 5.3). Asked of the store when the client begins, or when the first visitor is made.
/// Thread-safe.
final class InstallationFacts: ClientPart, @unchecked Sendable {
  private static let visitedKey = "visited"

  private struct Asked {
    var generation: UInt32
    var isFirst = Completion<Bool>()
  }

  private let host: any ProviderHost
  /// nil where generated ids are not kept.
  private let kept: InstallationID?
  private let asked = LockedValue<Asked?>(nil)
  private let hasVisitor = LockedValue(false)
  /// On the scheduler's thread.
  private var waiting: [@Sendable () -> Void] = []

  init(host: any ProviderHost, keepsIDs: Bool) {
    self.host = host
    let entropy = host.entropy
    kept =
      !keepsIDs
      ? nil
      : InstallationID(
        store: host.store, scheduler: host.scheduler, key: "flagship-visitor-id", isWhole: InstallationID.isPlain
      ) {
        UUIDv4(from: entropy).text
      }
  }

  func start() { _ = ask() }

  private func ask() -> Asked {
    let (answers, isNew) = asked.withLock { asked -> (Asked, Bool) in
      if let asked, asked.generation == host.scheduler.generation { return (asked, false) }
      let new = Asked(generation: host.scheduler.generation)
      asked = new
      return (new, true)
    }
    guard isNew else { return answers }
    host.store.load(Self.visitedKey) { [weak self] in
      answers.isFirst.give($0 == nil)
      self?.tell()
    }
    kept?.whenKnown { [weak self] _ in self?.tell() }
    return answers
  }

  /// Runs `body` when the store has been read, or the limit has passed; in the order of the calls. On the scheduler's
  /// thread.
  func whenTold(withinMilliseconds limit: Int64, _ body: @escaping @Sendable () -> Void) {
    host.scheduler.assertCurrent()
    _ = ask()
    if isComplete { return body() }
    waiting.append(body)
    let timer = host.scheduler.schedule(afterMilliseconds: limit) { [weak self] in self?.letGo() }
    waiting.append { timer.cancel() }
  }

  private func tell() { if isComplete { letGo() } }

  private func letGo() {
    let due = waiting
    waiting = []
    for body in due { body() }
  }

  /// Whether the store has been read.
  var isComplete: Bool {
    guard let asked = asked.withLock({ $0 }) else { return false }
    return asked.isFirst.wait(untilNanoseconds: 0) != nil && (kept == nil || kept?.current != nil)
  }

  /// True for the first visitor that is ever made with this store.
  /// - Parameter deadline: how long the store may take, by the machine's clock; without its answer it is the first.
  func claimFirstVisitor(untilNanoseconds deadline: Int64) -> Bool {
    let isFirstHere = hasVisitor.withLock { hasVisitor in
      defer { hasVisitor = true }
      return !hasVisitor
    }
    guard isFirstHere else { return false }
    let isFirst = ask().isFirst.wait(untilNanoseconds: deadline) ?? true
    if isFirst { host.store.save(Self.visitedKey, Array("1".utf8)) }
    return isFirst
  }

  /// A new id; or, where ids are stored, the stored one.
  func generatedID(untilNanoseconds deadline: Int64) -> [UInt8] {
    if let kept {
      _ = ask()
      if let known = kept.wait(untilNanoseconds: deadline) { return Array(known.utf8) }
      host.log.warning("the store has not told the id that was kept; a new one is used")
    }
    return Array(UUIDv4(from: host.entropy).text.utf8)
  }

  /// The waiting completions are the parent's.
  func abandonAfterFork() {
    kept?.abandonAfterFork()
    let inherited = waiting
    waiting = []
    withExtendedLifetime(inherited) {}
  }
}
