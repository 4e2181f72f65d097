public import HoistBase
public import HoistCore

/// What evaluating threads need.
extension FlagshipProvider {
  /// Flagship counts no exposure of an unknown flag.
  public func countUnknown(
    _ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?
  ) {}

  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    CampaignFlags.metadata(evaluation, in: snapshot)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    CampaignFlags.explain(&evaluation, snapshot: snapshot, record: record, context: context)
  }
}
