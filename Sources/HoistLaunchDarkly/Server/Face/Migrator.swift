internal import HoistBase

/// How both systems are read.
public enum MigrationOrder: Int32, Sendable {
  case serial, random, concurrent
}

/// What is told of an operation beside which systems were used.
public struct MigrationMeasures: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let latency = MigrationMeasures(rawValue: 1)
  public static let errors = MigrationMeasures(rawValue: 2)
}

/// One read or write of a migration, by the systems that its stage names (server 9; LDS-61).
public struct Migrator: Sendable {
  /// Does it in one system, and says whether that went well. Host code.
  public typealias Work = @Sendable (MigrationOrigin) -> Bool

  /// For the host's own.
  private static let stackBytes = 8 << 20

  private let tracker: MigrationTracker
  private let measures: MigrationMeasures
  private let clock: any Clock
  private let entropy: any Entropy
  private let work: Work

  init(
    _ tracker: MigrationTracker, _ measures: MigrationMeasures, _ clock: any Clock, _ entropy: any Entropy, _ work: @escaping Work
  ) {
    (self.tracker, self.measures, self.clock, self.entropy, self.work) = (tracker, measures, clock, entropy, work)
  }

  /// What was done: one entry for each system that was used.
  public struct Outcome: Sendable {
    /// Whose result counts.
    public let authoritative: MigrationOrigin
    public let succeeded: [MigrationOrigin: Bool]
  }

  /// - Parameter compare: whether both results are the same; nil compares none. Called where both were read.
  public func read(_ order: MigrationOrder, compare: (() -> Bool)?) -> Outcome {
    tracker.begin(.read)
    let origins = tracker.stage.origins(of: .read)
    guard origins.count == 2 else { return outcome(origins, done: [invoke(origins[0])]) }
    let isTurned = order == .random && entropy.below(2) == 1
    var done: [Bool]
    if order == .concurrent {
      done = invokeBoth(origins)
    } else if isTurned {
      done = origins.reversed().map { invoke($0) }.reversed()
    } else {
      done = origins.map { invoke($0) }
    }
    if let compare, done == [true, true] { tracker.check(compare) }
    return outcome(origins, done: done)
  }

  /// Where the first fails the other is not written.
  public func write() -> Outcome {
    tracker.begin(.write)
    let origins = tracker.stage.origins(of: .write)
    var done = [invoke(origins[0])]
    if done[0], origins.count == 2 { done.append(invoke(origins[1])) }
    return outcome(origins, done: done)
  }

  private func outcome(_ origins: [MigrationOrigin], done: [Bool]) -> Outcome {
    Outcome(authoritative: origins[0], succeeded: Dictionary(zip(origins, done), uniquingKeysWith: { first, _ in first }))
  }

  private func invoke(_ origin: MigrationOrigin) -> Bool {
    let start = clock.monotonicNanoseconds
    tracker.invoked(origin)
    let hasSucceeded = work(origin)
    if measures.contains(.latency) {
      tracker.took(origin, milliseconds: Double(max(0, clock.monotonicNanoseconds &- start)) / 1_000_000)
    }
    if !hasSucceeded, measures.contains(.errors) { tracker.failed(origin) }
    return hasSucceeded
  }

  /// The second on a thread of its own; one after the other where there is none.
  private func invokeBoth(_ origins: [MigrationOrigin]) -> [Bool] {
    let (lock, condition, second) = (Lock(), Condition(), LockedValue<Bool?>(nil))
    let hasThread = Thread.start(name: "hoist-migration", stackBytes: Self.stackBytes) { [self] in
      Thread.admitHost()
      let hasSucceeded = invoke(origins[1])
      lock.withLock {
        second.withLock { $0 = hasSucceeded }
        condition.broadcast()
      }
    }
    let first = invoke(origins[0])
    if !hasThread { return [first, invoke(origins[1])] }
    return lock.withLock {
      while true {
        if let known = second.withLock({ $0 }) { return [first, known] }
        _ = condition.wait(lock, untilNanoseconds: .max)
      }
    }
  }
}
