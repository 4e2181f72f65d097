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

/// A value that one thread gives and another waits for.
public final class Answer<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private let given = Condition()
  private var value: Value?

  public init() {}

  var isGiven: Bool { lock.withLock { value != nil } }

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
