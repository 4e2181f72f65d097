internal import HoistBase

/// Those who wait for a provider's answer. Each is told once: by the provider, or by the end of the client.
final class PendingAnswers: @unchecked Sendable {
  typealias Tell = @Sendable (Status) -> Void

  private let lock = Lock()
  private var waiting: [UInt64: Tell] = [:]
  private var lastNumber: UInt64 = 0

  /// - Returns: what the provider answers through; only its first call counts, and none after `endAll`.
  func add(_ tell: @escaping Tell) -> Tell {
    let number = lock.withLock {
      lastNumber &+= 1
      waiting[lastNumber] = tell
      return lastNumber
    }
    return { [self] status in
      let told = lock.withLock { waiting.removeValue(forKey: number) }
      told?(status)
    }
  }

  /// Tells everybody that still waits.
  func endAll(_ status: Status) {
    for tell in takeAll() { tell(status) }
  }

  /// In a forked child: those who wait are the parent's.
  func forgetAll() { _ = takeAll().count }

  private func takeAll() -> [Tell] {
    lock.withLock {
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }
}

extension Client {
  /// A completion of the host's for an asynchronous call: told once, also when the client ends first. Nothing is told of
  /// a call that could not begin.
  public func promise(
    _ completion: (@Sendable (Status) -> Void)?, _ begin: (@escaping @Sendable (Status) -> Void) -> Status
  ) -> Status {
    let courier = courier
    let hasBegun = Answer<Bool>()
    let tell = pending.add { status in
      guard let completion, !hasBegun.isRefused else { return }
      courier.deliver(isOwed: true) { completion(status) }
    }
    let status = begin(tell)
    hasBegun.give(status == .ok)
    if status != .ok { tell(.cancelled) }
    return status
  }
}

extension Answer<Bool> {
  fileprivate var isRefused: Bool { peek == false }
}

/// A value that one thread gives and another waits for.
public final class Answer<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private let given = Condition()
  private var value: Value?

  public init() {}

  var isGiven: Bool { peek != nil }
  /// What was given so far.
  var peek: Value? { lock.withLock { value } }

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
