/// Whether a client has begun. Whatever waits for an answer compares the number of the life it asked in.
struct ClientLife {
  private(set) var isBegun = false
  /// A forked child of a process in which it had begun, and has not gone on yet.
  private(set) var isResuming = false
  private(set) var number: UInt64 = 0

  mutating func begin() {
    isBegun = true
    isResuming = false
    number &+= 1
  }

  mutating func end() {
    isBegun = false
    isResuming = false
    number &+= 1
  }

  mutating func abandonAfterFork() {
    let had = isBegun || isResuming
    end()
    isResuming = had
  }
}
