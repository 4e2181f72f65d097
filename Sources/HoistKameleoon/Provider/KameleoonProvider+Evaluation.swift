public import HoistBase
public import HoistCore

/// What evaluating threads need.
extension KameleoonProvider {
  /// Kameleoon counts no exposure of an unknown flag.
  public func countUnknown(
    _ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?
  ) {}

  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  /// What an evaluation of the core leaves: the visitor's assignments, which are reported unless property
  /// `track_evaluations` says otherwise.
  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    guard let visitor = visitors.visitor(of: context, inherited: evaluation.inherited) else { return }
    let now = visitors.now
    var choice = Choice(
      row: Place(offset: evaluation.outcome.variation), holdoutRow: Place(offset: evaluation.outcome.other))
    if choice.row.isNone { choice.refusal = .blocked }
    var effects = DecisionEffects()
    if let facts = visitor.heldFacts {
      effects.take(choice, facts.content, snapshot, isTracked: settings.tracksEvaluations, now: now)
    }
    effects.apply(to: visitor, visitors)
  }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    KameleoonMetadata.json(evaluation, snapshot.base)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    var recorder = ExplanationRecorder(snapshot.base)
    evaluation.decide(snapshot, record, context?.base, &recorder)
    return recorder.finish(for: context)
  }
}
