public import HoistBase
public import HoistCore
internal import HoistJSON

/// What can be asked of a snapshot of campaigns, flag by flag.
public enum CampaignFlags {
  /// What the service says of an evaluation's value, as a JSON object: the nine fields of the metadata (FS-73), and
  /// nothing where no campaign gave a value.
  public static func metadata(_ evaluation: borrowing Evaluation, in snapshot: Snapshot) -> [UInt8] {
    FlagValue(evaluation, in: snapshot)?.metadata.json ?? Array("{}".utf8)
  }

  /// Evaluates with every step written down, as JSON (see `ExplanationRecorder`). `evaluation` holds the question, and
  /// the answer afterwards.
  public static func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    guard let (context, visitor) = evaluation.visitor(of: context?.base, in: snapshot) else { return Array("[]".utf8) }
    var evaluator = CampaignEvaluator(
      base: snapshot.base, context: context, visitor: visitor, history: nil, isOfCall: context.base != evaluation.inherited,
      recorder: ExplanationRecorder(snapshot.base))
    evaluator.fill(&evaluation, record.assumingMemoryBound(to: CampaignFlagRecord.self))
    return evaluator.recorder.finish()
  }

  /// The explanation of a visitor's flag, history included.
  /// - Parameter key: of the flag; one that the campaigns do not have gives an empty array.
  public static func explain(
    _ key: some ByteSource, in snapshot: Snapshot, context: FrozenContext?, visitor: ByteView,
    history: AssignmentHistory
  ) -> [UInt8] {
    var evaluator = CampaignEvaluator(
      base: snapshot.base, context: context, visitor: visitor, history: history,
      recorder: ExplanationRecorder(snapshot.base))
    key.withBytes { key in
      if let flag = snapshot.campaignFlag(key, hash: Hash64.hash(key)) { _ = evaluator.value(of: flag) }
    }
    return evaluator.recorder.finish()
  }
}
