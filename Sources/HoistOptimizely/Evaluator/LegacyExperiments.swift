public import HoistBase
public import HoistCore

/// What became of one experiment for one visitor, in the calls that name experiments (4.14).
public struct ExperimentDecision {
  let base: UnsafeRawPointer
  let rule: UnsafePointer<RuleRecord>
  let verdict: Verdict

  var variation: UnsafePointer<VariationRecord>? { verdict.variation.isNone ? nil : base.at(verdict.variation) }

  public var experimentKey: ByteView { rule.pointee.key.bytes(base) }
  public var experimentID: ByteView { rule.pointee.id.bytes(base) }
  public var variationKey: ByteView? { variation?.pointee.key.bytes(base) }
  public var variationID: ByteView? { variation?.pointee.id.bytes(base) }
  /// What decision notifications call the experiment.
  public var notificationType: StaticString { rule.pointee.belongsToFlag ? "feature-test" : "ab-test" }

  public var newAssignment: SubjectContent.Assignment? {
    guard verdict.isNew, let variationID else { return nil }
    return SubjectContent.Assignment(experimentID: Array(experimentID), variationID: Array(variationID))
  }
}

extension OptimizelyFlags {
  /// `getVariationKey` and `activate`: an experiment by its key, without holdouts and forced decisions.
  /// - Parameter state: a `SubjectState`, or nil.
  /// - Returns: nil for an unknown key.
  static func variation(
    ofExperiment key: some ByteSource, in snapshot: Snapshot, context: FrozenContext?, state: UnsafeRawPointer?
  ) -> ExperimentDecision? {
    guard let record = key.withBytes({ root(snapshot).pointee.experiments.find($0, in: snapshot.base) }) else { return nil }
    let rule = record.assumingMemoryBound(to: RuleRecord.self)
    var evaluator = Evaluator(
      base: snapshot.base, context: context?.base, subject: state, options: [], recorder: NoOpDecisionRecorder())
    let place = Place<RuleRecord>(offset: UInt32(truncatingIfNeeded: record - snapshot.base))
    return ExperimentDecision(base: snapshot.base, rule: rule, verdict: evaluator.variation(of: rule, place))
  }

  /// What `setForcedVariation` remembers for a user: the ids of an experiment and of one of its variations.
  /// - Returns: nil when there is no such experiment or variation (4.5).
  public static func forcedVariation(
    experimentKey: some ByteSource, variationKey: some ByteSource, in snapshot: Snapshot
  ) -> SubjectContent.Assignment? {
    let base = snapshot.base
    guard let record = experimentKey.withBytes({ root(snapshot).pointee.experiments.find($0, in: base) }) else { return nil }
    let rule = record.assumingMemoryBound(to: RuleRecord.self)
    let variations = base.at(rule.pointee.variations)
    return variationKey.withBytes { key in
      let key = ASCII.trimmed(key)
      guard !key.isEmpty else { return nil }
      for index in 0..<Int(rule.pointee.variationCount) where variations[index].key.bytes(base).hasSameBytes(as: key) {
        return SubjectContent.Assignment(
          experimentID: Array(rule.pointee.id.bytes(base)), variationID: Array(variations[index].id.bytes(base)))
      }
      return nil
    }
  }

  /// The key of an experiment's variation; nil when there is none of that id.
  static func variationKey(
    ofExperiment key: some ByteSource, withID id: some ByteSource, in snapshot: Snapshot
  ) -> ByteView? {
    let base = snapshot.base
    guard let record = key.withBytes({ root(snapshot).pointee.experiments.find($0, in: base) }) else { return nil }
    let rule = record.assumingMemoryBound(to: RuleRecord.self)
    let variations = base.at(rule.pointee.variations)
    return id.withBytes { id in
      for index in 0..<Int(rule.pointee.variationCount) where variations[index].id.bytes(base).hasSameBytes(as: id) {
        return variations[index].key.bytes(base)
      }
      return nil
    }
  }

  /// The id of an experiment by its key.
  public static func experimentID(_ key: some ByteSource, in snapshot: Snapshot) -> ByteView? {
    key.withBytes { key in
      root(snapshot).pointee.experiments.find(key, in: snapshot.base).map {
        $0.assumingMemoryBound(to: RuleRecord.self).pointee.id.bytes(snapshot.base)
      }
    }
  }
}
