internal import HoistBase

/// Variations that the host forces users into, by user and experiment (OPT-66). Thread-safe; outlives datafiles.
final class ForcedVariations: ClientPart, @unchecked Sendable {
  private let lock = Lock()
  /// By user, then by experiment id; guarded by `lock`.
  private var variations: [[UInt8]: [[UInt8]: [UInt8]]] = [:]

  /// - Parameter variationID: nil takes the experiment's entry away.
  func set(_ variationID: [UInt8]?, ofExperiment experimentID: [UInt8], for userID: [UInt8]) {
    lock.withLock { variations[userID, default: [:]][experimentID] = variationID }
  }

  func assignments(of userID: [UInt8]) -> [SubjectContent.Assignment] {
    lock.withLock { variations[userID] ?? [:] }.map { SubjectContent.Assignment(experimentID: $0.key, variationID: $0.value) }
  }
}
