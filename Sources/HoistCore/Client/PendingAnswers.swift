internal import HoistBase

/// Those who wait for a provider's answer. Each is told once: by the provider, or by the end of the client.
///
/// What the host is to be told of stays here until the host's call begins, so that a lane that is closed, or has no
/// room, loses no answer.
final class PendingAnswers: @unchecked Sendable {
  typealias Tell = @Sendable (Status) -> Void
  /// Brings work to the host's side; false when it has no room.
  typealias Deliver = @Sendable (@escaping @Sendable () -> Void) -> Bool

  /// Calls of the host's that may be under way at once; more are refused.
  private static let capacity = 10_000
  /// How long an answer waits for room on its way to the host.
  private static let retryMilliseconds: Int64 = 50

  private struct Entry {
    let tell: Tell
    /// nil tells at once, on the thread of the answer.
    let deliver: Deliver?
    var answer: Status?
  }

  private let scheduler: any Scheduler
  private let lock = Lock()
  private var entries: [UInt64: Entry] = [:]
  private var lastNumber: UInt64 = 0
  private var isEnded = false

  init(scheduler: any Scheduler) { self.scheduler = scheduler }

  /// - Parameter deliver: nil tells at once, on the thread of the answer.
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

  /// Forgets somebody who need not be told after all.
  /// - Returns: false when that has happened already.
  func withdraw(_ number: UInt64) -> Bool { lock.withLock { entries.removeValue(forKey: number) } != nil }

  /// Tells everybody that still waits for an answer, on the calling thread, and takes nobody any more.
  func end(_ status: Status) {
    for entry in take(where: { $0.answer == nil }) { entry.tell(status) }
  }

  /// Tells those whose answer will not be delivered any more, on the calling thread.
  func tellUndelivered() {
    for entry in take(where: { $0.answer != nil }) { entry.tell(entry.answer ?? .cancelled) }
  }

  func reopen() { lock.withLock { isEnded = false } }

  /// In a forked child: those who wait are the parent's.
  func forgetAll() {
    let inherited = lock.withLock {
      defer { entries = [:] }
      return entries
    }
    // Let go of outside the lock: it may hold the last reference to something of the host's.
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
  /// A completion of the host's for an asynchronous call: told once, also when the client ends first. Nothing is told of
  /// a call that could not begin.
  ///
  /// - Parameters:
  ///   - completion: runs on the delivery lane, or inside the call that closes the client.
  ///   - begin: begins the call, whose end calls what it is given; or says why not.
  public func promise(
    _ completion: (@Sendable (Status) -> Void)?, _ begin: (@escaping @Sendable (Status) -> Void) -> Status
  ) -> Status {
    guard let completion else { return begin { _ in } }
    let (pending, courier) = (pending, courier)
    let (number, refusal) = pending.add(deliver: { courier.deliver($0) }, completion)
    guard refusal == .ok else { return refusal }
    let status = begin { pending.answer(number, $0) }
    // A client that closed meanwhile has told it already.
    return status == .ok || !pending.withdraw(number) ? .ok : status
  }
}

/// A value that one thread gives and another waits for.
public final class Answer<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private let given = Condition()
  private var value: Value?

  public init() {}

  public var isGiven: Bool { lock.withLock { value != nil } }

  /// The first one counts.
  public func give(_ value: Value) {
    lock.withLock { if self.value == nil { self.value = value } }
    given.broadcast()
  }

  /// - Returns: nil when the deadline passed first.
  public func wait(untilNanoseconds deadline: Int64) -> Value? {
    lock.withLock {
      while value == nil {
        if !given.wait(lock, untilNanoseconds: deadline) { break }
      }
      return value
    }
  }
}
