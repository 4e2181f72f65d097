internal import HoistBase

/// Completions that wait for a provider's answer. Each is called once: by the provider, or at the end of the client.
///
/// A host's completion stays here until its call begins, so that a closed or full lane loses no answer.
final class PendingCompletions: @unchecked Sendable {
  typealias Tell = @Sendable (Status) -> Void
  /// Hands work to the delivery lane; false when it is full.
  typealias Deliver = @Sendable (@escaping @Sendable () -> Void) -> Bool

  /// Calls of the host's that may be under way at once; more are refused.
  private static let capacity = 10_000
  /// How long an answer waits for room on its way to the host.
  private static let retryMilliseconds: Int64 = 50

  private struct Entry {
    let tell: Tell
    /// nil calls at once, on the answering thread.
    let deliver: Deliver?
    var answer: Status?
  }

  private let scheduler: any Scheduler
  private let lock = Lock()
  private var entries: [UInt64: Entry] = [:]
  private var lastNumber: UInt64 = 0
  private var isEnded = false

  init(scheduler: any Scheduler) { self.scheduler = scheduler }

  /// - Parameter deliver: nil calls at once, on the answering thread.
  /// - Returns: a number for `answer` and `withdraw`; `.state` after `end`, `.limit` when too many wait.
  func add(deliver: Deliver? = nil, _ tell: @escaping Tell) -> (number: UInt64, status: Status) {
    lock.withLock {
      if isEnded { return (0, .state) }
      if entries.count >= Self.capacity { return (0, .limit) }
      lastNumber &+= 1
      entries[lastNumber] = Entry(tell: tell, deliver: deliver)
      return (lastNumber, .ok)
    }
  }

  /// The provider's answer; only the first one counts, and none after `end`.
  func answer(_ number: UInt64, _ status: Status) {
    let deliver = lock.withLock { () -> (Deliver?)? in
      guard let entry = entries[number], entry.answer == nil else { return nil }
      entries[number]?.answer = status
      return .some(entry.deliver)
    }
    switch deliver {
    case .none: break
    case .some(.none): tell(number)
    case .some(.some(let deliver)): bring(number, deliver)
    }
  }

  private func bring(_ number: UInt64, _ deliver: @escaping Deliver) {
    if deliver({ self.tell(number) }) { return }
    _ = scheduler.schedule(afterMilliseconds: Self.retryMilliseconds) { [weak self] in
      guard let self, self.lock.withLock({ !self.isEnded && self.entries[number] != nil }) else { return }
      self.bring(number, deliver)
    }
  }

  private func tell(_ number: UInt64) {
    guard let entry = lock.withLock({ entries.removeValue(forKey: number) }), let answer = entry.answer else { return }
    entry.tell(answer)
  }

  /// Removes an entry without calling it.
  /// - Returns: false when that has happened already.
  func withdraw(_ number: UInt64) -> Bool { lock.withLock { entries.removeValue(forKey: number) } != nil }

  /// Completes all entries on the calling thread, and accepts no more.
  func end(_ status: Status) {
    for entry in take(where: { $0.answer == nil }) { entry.tell(status) }
  }

  /// Calls the completions that can no longer be delivered, on the calling thread.
  func tellUndelivered() {
    for entry in take(where: { $0.answer != nil }) { entry.tell(entry.answer ?? .cancelled) }
  }

  func reopen() { lock.withLock { isEnded = false } }

  /// In a forked child: the waiting completions are the parent's.
  func forgetAll() {
    let inherited = lock.withLock {
      defer { entries = [:] }
      return entries
    }
    // Released outside the lock: it may hold the last reference to a host object.
    withExtendedLifetime(inherited) {}
  }

  /// In the order in which they began to wait.
  private func take(where isTaken: (Entry) -> Bool) -> [Entry] {
    lock.withLock {
      isEnded = true
      let taken = entries.filter { isTaken($0.value) }.sorted { $0.key < $1.key }
      for entry in taken { entries[entry.key] = nil }
      return taken.map(\.value)
    }
  }
}

extension Client {
  /// Registers the host's completion of an asynchronous call: it is called once, also when the client ends first, and
  /// not when the call could not begin.
  ///
  /// - Parameters:
  ///   - completion: runs on the delivery lane, or inside the call that closes the client.
  ///   - begin: begins the call, and calls its argument at the end; or returns why it could not begin.
  public func promise(
    _ completion: (@Sendable (Status) -> Void)?, _ begin: (@escaping @Sendable (Status) -> Void) -> Status
  ) -> Status {
    guard let completion else { return begin { _ in } }
    let (pending, callbacks) = (pending, callbacks)
    let (number, refusal) = pending.add(deliver: { callbacks.deliver($0) }, completion)
    guard refusal == .ok else { return refusal }
    let status = begin { pending.answer(number, $0) }
    // A client that closed meanwhile has called it already.
    return status == .ok || !pending.withdraw(number) ? .ok : status
  }
}

/// A value that one thread gives and another waits for.
public final class Completion<Value: Sendable>: @unchecked Sendable {
  private let lock = InlineLock()
  // Guarded by `lock`.
  private var value: Value?
  private var waiting: CompletionWaiter?

  public init() {}

  public var isGiven: Bool { lock.withLock { value != nil } }

  /// The first one counts.
  public func give(_ value: Value) {
    let waiting = lock.withLock {
      if self.value == nil { self.value = value }
      defer { self.waiting = nil }
      return self.waiting
    }
    waiting?.end()
  }

  /// - Returns: nil when the deadline passed first.
  public func wait(untilNanoseconds deadline: Int64) -> Value? {
    let place = lock.withLock { () -> CompletionWaiter? in
      if value == nil, waiting == nil { waiting = CompletionWaiter() }
      return value == nil ? waiting : nil
    }
    place?.wait(untilNanoseconds: deadline) { isGiven }
    return lock.withLock { value }
  }
}

/// Where threads wait for an answer: made by the first waiting thread, since most answers come before.
private final class CompletionWaiter: @unchecked Sendable {
  private let lock = Lock()
  private let given = Condition()

  func wait(untilNanoseconds deadline: Int64, _ isGiven: () -> Bool) {
    lock.withLock {
      while !isGiven() { if !given.wait(lock, untilNanoseconds: deadline) { return } }
    }
  }

  /// With the lock: a thread that saw no value yet is waiting by then.
  func end() { lock.withLock { given.broadcast() } }
}
