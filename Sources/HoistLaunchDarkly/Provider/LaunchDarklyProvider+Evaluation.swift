public import HoistBase
public import HoistCore

/// What evaluating threads need.
extension LaunchDarklyProvider {
  public func countUnknown(_ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?) {}

  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {}

  /// LaunchDarkly announces no impressions: what is counted is in the summary.
  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    Array("{}".utf8)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] { Array("{}".utf8) }

  public func track(_ event: TrackedEvent) -> Status { events.track(event) }

  /// LaunchDarkly's events are of the client's context, whatever the call's is.
  public func track(_ event: EventView, context: () -> ContextReference?) -> Status { events.track(event) }
}
