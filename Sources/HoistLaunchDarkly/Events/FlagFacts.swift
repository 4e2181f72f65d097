internal import HoistBase

/// The part of a stored flag that goes into events. All texts are borrowed, as long as the flag's snapshot.
struct FlagFacts {
  var key: ByteView
  var variation: Int64?
  /// `flagVersion`, else `version`.
  var version: Int64?
  /// JSON text; nil for null.
  var value: ByteView?
  var isTracked = false
  var tracksReason = false
  /// Milliseconds since 1970; 0 for none.
  var debuggedUntil: Int64 = 0
  /// JSON text of the service's reason; nil when it gave none.
  var reason: ByteView?
  /// Keys of the direct prerequisites, in the service's order.
  var prerequisites: [ByteView] = []

  var identity: CounterIdentity { CounterIdentity(variation: variation, version: version) }
}

/// One evaluation as events report it. All texts are borrowed for the call.
struct FlagUse {
  var key: ByteView
  /// nil for an unknown flag.
  var flag: FlagFacts?
  /// What the caller got, as JSON text.
  var result: ByteView
  /// What the caller gave, as JSON text; nil for null.
  var fallback: ByteView?
  /// The caller gets the reason.
  var isDetailed: Bool
}

/// Which counter of a flag's summary an evaluation belongs to: not by its value (4.4.5).
struct CounterIdentity: Equatable {
  var variation: Int64?
  var version: Int64?
}
