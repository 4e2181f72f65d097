public import HoistBase
public import HoistCore

/// What evaluating threads need.
extension KameleoonProvider {
  /// Kameleoon counts nobody for a flag that it does not know.
  public func countUnknown(_ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?) {}

  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {}

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    KameleoonMetadata.json(evaluation, snapshot.base)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    var recorder = ExplanationRecorder(snapshot.base)
    evaluation.decide(snapshot, record, context?.base, &recorder)
    return recorder.finish()
  }
}
