internal import HoistBase
internal import HoistCore

/// Gathers what is done for a migration after one evaluation of its flag (protocols/launchdarkly-server.md 9; LDS-45). Any
/// thread: two systems may be read at once.
public final class MigrationTracker: Sendable {
  /// What the evaluation has found.
  struct Evaluation: Sendable {
    var key: String
    /// Nil for an unknown flag.
    var flag: MigrationOperation.Flag?
    var fallback: MigrationStage
    var stage: MigrationStage
    var variation: Int64?
    /// JSON text.
    var reason: [UInt8]
    var checkRatio: Int64 = 1
  }

  /// Why there is no event.
  struct Refusal: Error {
    let reason: String
  }

  private struct Measurements {
    var kind: MigrationKind?
    var invoked: Set<MigrationOrigin> = []
    var failed: Set<MigrationOrigin> = []
    var latencies: [MigrationOrigin: Double] = [:]
    var isConsistent: Bool?
  }

  private let evaluation: Evaluation
  private let entropy: any Entropy
  private let measurements = LockedValue(Measurements())

  init(_ evaluation: Evaluation, entropy: any Entropy) {
    self.evaluation = evaluation
    self.entropy = entropy
  }

  /// The stage that the evaluation has found.
  public var stage: MigrationStage { evaluation.stage }

  public func begin(_ kind: MigrationKind) { measurements.withLock { $0.kind = kind } }
  public func invoked(_ origin: MigrationOrigin) { measurements.withLock { _ = $0.invoked.insert(origin) } }
  public func failed(_ origin: MigrationOrigin) { measurements.withLock { _ = $0.failed.insert(origin) } }

  /// - Parameter milliseconds: finite.
  public func took(_ origin: MigrationOrigin, milliseconds: Double) {
    measurements.withLock { $0.latencies[origin] = milliseconds }
  }

  /// - Parameter compare: called where the flag's ratio draws this check.
  public func check(_ compare: () -> Bool) {
    guard entropy.draws(oneOf: evaluation.checkRatio) else { return }
    let isConsistent = compare()
    measurements.withLock { $0.isConsistent = isConsistent }
  }

  /// What has been done.
  func operation() throws(Refusal) -> MigrationOperation {
    let done = measurements.withLock { $0 }
    guard !evaluation.key.isEmpty else { throw Refusal(reason: "the flag's key is empty") }
    guard let kind = done.kind else { throw Refusal(reason: "it was not said whether it reads or writes") }
    if done.invoked.isEmpty { throw Refusal(reason: "neither origin was invoked") }
    for origin in MigrationOrigin.allCases where !done.invoked.contains(origin) {
      let what = done.latencies[origin] != nil ? "a latency" : done.failed.contains(origin) ? "an error" : nil
      if let what { throw Refusal(reason: "there is \(what) of the \(origin.rawValue) origin, which was not invoked") }
      if done.isConsistent != nil { throw Refusal(reason: "results were compared, but the \(origin.rawValue) origin was not invoked") }
    }
    return MigrationOperation(
      key: evaluation.key, flag: evaluation.flag, kind: kind, fallback: evaluation.fallback, stage: evaluation.stage,
      variation: evaluation.variation, reason: evaluation.reason, invoked: done.invoked, failed: done.failed,
      latencies: done.latencies, isConsistent: done.isConsistent, checkRatio: evaluation.checkRatio)
  }
}

extension ServerEvents {
  /// Records what a tracker has gathered, or says in the log why it cannot (9).
  func record(_ tracker: MigrationTracker, of context: FrozenContext) -> Status {
    do throws(MigrationTracker.Refusal) {
      return record(try tracker.operation(), of: context)
    } catch {
      outlet.host.log.warning("no event is made of a migration's operation: \(error.reason)")
      return .argument
    }
  }
}
