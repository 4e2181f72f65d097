internal import HoistBase

/// An id that is made once on this machine, and stored beside the stores of all accounts of a service: the same for all
/// its clients. Without a store, and where that fails, a client's own. Thread-safe.
public final class InstallationID: @unchecked Sendable {
  /// The most completions that wait until it is known.
  private static let maximumWaiting = 10_000

  private struct State {
    /// In which process the store was asked.
    var askedIn: UInt32?
    /// nil from when the id is known.
    var waiting: [@Sendable (String) -> Void]? = []
    /// What this client would have it be.
    var made: String?
  }

  private let store: Store
  private let scheduler: any Scheduler
  public let key: String
  private let isWhole: @Sendable ([UInt8]) -> Bool
  private let make: @Sendable () -> String
  private let known = Completion<String>()
  private let state = LockedValue(State())

  /// - Parameters:
  ///   - key: its name in the installation, which may become the name of a file: lower-case letters, digits, dashes.
  ///   - isWhole: whether a stored value is such an id; any other is replaced.
  ///   - make: a new one.
  public init(
    store: Store, scheduler: any Scheduler, key: String, isWhole: @escaping @Sendable ([UInt8]) -> Bool,
    make: @escaping @Sendable () -> String
  ) {
    self.store = store
    self.scheduler = scheduler
    self.key = key
    self.isWhole = isWhole
    self.make = make
  }

  /// Printable ASCII without blanks, of some length.
  public static func isPlain(_ bytes: [UInt8]) -> Bool {
    (1...256).contains(bytes.count) && bytes.allSatisfy { 0x20 < $0 && $0 < 0x7F }
  }

  /// Asks the store, unless that was done in this process.
  public func start() {
    let generation = scheduler.generation
    let isFirst = state.withLock { state in
      defer { state.askedIn = generation }
      return state.askedIn != generation && state.waiting != nil
    }
    guard isFirst else { return }
    store.sharedText(key, orKeep: made, isWhole: isWhole) { [weak self] id in self?.tell(id) }
  }

  private var made: String {
    state.withLock { state in
      let made = state.made ?? make()
      state.made = made
      return made
    }
  }

  private func tell(_ id: String) {
    known.give(id)
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting ?? []
    }
    for tell in waiting { tell(current ?? id) }
  }

  /// The next one that asks makes another.
  public func forget() { store.removeShared(key) }

  /// nil before it is known.
  public var current: String? { known.wait(untilNanoseconds: 0) }

  /// Asks, and runs `body` with the id: at once when it is known, else on the scheduler's thread.
  public func whenKnown(_ body: @escaping @Sendable (String) -> Void) {
    start()
    let isKnown = state.withLock { state in
      guard let count = state.waiting?.count else { return true }
      if count < Self.maximumWaiting { state.waiting?.append(body) }
      return false
    }
    if isKnown, let current { body(current) }
  }

  /// Requests the id and waits for it.
  /// - Parameter deadline: nanoseconds of the machine's monotonic clock.
  /// - Returns: nil when the deadline passed first.
  public func wait(untilNanoseconds deadline: Int64) -> String? {
    start()
    return known.wait(untilNanoseconds: deadline)
  }

  /// Asks, and waits for the answer; where it is over first, a new one, which this client stays with.
  public func decide(untilNanoseconds deadline: Int64) -> String {
    if let id = wait(untilNanoseconds: deadline) { return id }
    known.give(made)
    return current ?? made
  }

  /// In a forked child: the waiting completions are the parent's.
  public func abandonAfterFork() {
    let inherited = state.withLock { state in
      defer { if state.waiting != nil { state.waiting = [] } }
      return state.waiting
    }
    withExtendedLifetime(inherited) {}
  }
}
