public import HoistCore

/// What evaluating threads need.
extension LaunchDarklyProvider {
  /// What is more than a count (4.4): the first of a flag in a period, flags with events of their own or prerequisites.
  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    events.record(evaluation, snapshot: snapshot, record: record)
  }

  /// LaunchDarkly announces no impressions: what is counted is in the summary.
  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    FlagListing.metadata(evaluation, snapshot, record)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    snapshot.head.pointee.evaluate(snapshot.base, record, context?.base, &evaluation)
    return FlagListing.explanation(evaluation, snapshot, record)
  }
}
