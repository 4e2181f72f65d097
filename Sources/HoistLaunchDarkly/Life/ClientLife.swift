/// Whether a client has begun, and has a context. Whatever waits for an answer compares the number of the life it asked in.
struct ClientLife {
  private(set) var isBegun = false
  /// A forked child of a process in which it had begun, and has not gone on yet.
  private(set) var isResuming = false
  private(set) var number: UInt64 = 0
  /// Whether the start has served its context, or has found that it has none.
  private var hasContext = false
  /// Changes of the context that came while the start still read the store: it must not take their place.
  private var waiting: [() -> Void] = []

  /// - Returns: true when `work` waits for `settleContext`; it does not outlive this life.
  mutating func waitsForContext(_ work: @escaping () -> Void) -> Bool {
    if !hasContext { waiting.append(work) }
    return !hasContext
  }

  /// - Returns: what has waited for it.
  mutating func settleContext() -> [() -> Void] {
    hasContext = true
    defer { waiting = [] }
    return waiting
  }

  mutating func begin() {
    isBegun = true
    isResuming = false
    number &+= 1
  }

  mutating func end() {
    isBegun = false
    hasContext = false
    waiting = []
    isResuming = false
    number &+= 1
  }

  mutating func abandonAfterFork() {
    let had = isBegun || isResuming
    end()
    isResuming = had
  }
}
