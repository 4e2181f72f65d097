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

    /// What is known of the flag itself.
    mutating func take(_ evaluation: borrowing HoistCore.Evaluation) {
      guard let record = evaluation.record?.assumingMemoryBound(to: ServerFlagRecord.self),
        !record.pointee.traits.contains(.unlisted)
      else { return }
      flag = MigrationOperation.Flag(version: record.pointee.version, samplingRatio: record.pointee.samplingRatio)
      checkRatio = record.pointee.checkRatio
    }
  }

  private struct Measurements {
    var kind: MigrationKind?
    var invoked: Set<MigrationOrigin> = []
    var failed: Set<MigrationOrigin> = []
    var latencies: [MigrationOrigin: Double] = [:]
    var isConsistent: Bool?
  }

  private let evaluation: Evaluation
  /// The context that the flag was evaluated for; nil where there was none.
  let context: ContextReference?
  private let entropy: any Entropy
  private let measurements = LockedValue(Measurements())

  init(_ evaluation: Evaluation, of context: ContextReference? = nil, entropy: any Entropy) {
    self.evaluation = evaluation
    self.context = context
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
  func operation() throws(ServerRefusal) -> MigrationOperation {
    let done = measurements.withLock { $0 }
    guard !evaluation.key.isEmpty else { throw ServerRefusal("the flag's key is empty") }
    guard let kind = done.kind else { throw ServerRefusal("it was not said whether it reads or writes") }
    if done.invoked.isEmpty { throw ServerRefusal("neither origin was invoked") }
    for origin in MigrationOrigin.allCases where !done.invoked.contains(origin) {
      let what = done.latencies[origin] != nil ? "a latency" : done.failed.contains(origin) ? "an error" : nil
      if let what { throw ServerRefusal("there is \(what) of the \(origin.rawValue) origin, which was not invoked") }
      if done.isConsistent != nil {
        throw ServerRefusal("results were compared, but the \(origin.rawValue) origin was not invoked")
      }
    }
    return MigrationOperation(
      key: evaluation.key, flag: evaluation.flag, kind: kind, fallback: evaluation.fallback, stage: evaluation.stage,
      variation: evaluation.variation, reason: evaluation.reason, invoked: done.invoked, failed: done.failed,
      latencies: done.latencies, isConsistent: done.isConsistent, checkRatio: evaluation.checkRatio)
  }
}

/// Why a call of the host's has no effect, for people.
struct ServerRefusal: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

extension ServerEvents {
  /// Records what a tracker has gathered, or says in the log why it cannot (9).
  func record(_ tracker: MigrationTracker, of context: FrozenContext?) -> Status {
    do throws(ServerRefusal) {
      guard let context, context.isOfService else { throw ServerRefusal("its context is none: \(ServerProvider.contextRule)") }
      return record(try tracker.operation(), of: context)
    } catch {
      outlet.host.log.warning("no event is made of a migration's operation: \(error.reason)")
      return .argument
    }
  }
}
