internal import HoistBase
internal import HoistCore

/// Experiments by id (protocols/kameleoon.md 3.7).
extension Snapshot {
  /// The rule of an experiment; of several the last one of the configuration.
  func kameleoonRule(ofExperiment id: Int64) -> UnsafePointer<RuleRecord>? {
    let root = kameleoonRoot
    let entries = UnsafeBufferPointer<ExperimentEntry>(start: base.at(root.pointee.experiments), count: Int(root.pointee.experimentCount))
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low &+ high) / 2
      if entries[middle].id < id { low = middle &+ 1 } else { high = middle }
    }
    return low < entries.count && entries[low].id == id ? base.at(entries[low].rule) : nil
  }

  /// Why a variation cannot be forced; `.ok` when it can (KAM-B01).
  func statusOfForcing(_ experimentID: Int64, _ key: [UInt8]) -> Status {
    guard let rule = kameleoonRule(ofExperiment: experimentID) else { return .kameleoonFeatureExperimentNotFound }
    let rows = UnsafeBufferPointer<RowRecord>(start: base.at(rule.pointee.rows), count: Int(rule.pointee.rowCount))
    return rows.contains { row in key.withBytes { $0.hasSameBytes(as: row.key.bytes(base)) } } ? .ok : .kameleoonFeatureVariationNotFound
  }
}
