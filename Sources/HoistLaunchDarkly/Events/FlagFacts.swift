internal import HoistBase

/// The part of a stored flag that goes into events. All texts are borrowed, as long as the flag's snapshot.
struct FlagFacts {
  var key: ByteView
  var variation: Int64?
  /// `flagVersion`, else `version`.
  var version: Int64?
  /// JSON text; nil for null.
  var value: ByteView?
  var events = FlagEvents()
  /// JSON text of the reason; nil when there is none.
  var reason: ByteView?
  /// Keys of the direct prerequisites, in the service's order.
  var prerequisites: [ByteView] = []

  var identity: CounterIdentity { CounterIdentity(variation: variation, version: version) }
}

/// Which events an evaluation of a flag makes beside its count: plain memory, filled without an allocation.
struct FlagEvents: BitwiseCopyable {
  /// Feature events: the flag is tracked, or an experiment decided.
  var isTracked = false
  /// An experiment decided: feature events have the reason also where the caller gets none.
  var tracksReason = false
  /// Kept out of summaries (server 7.6).
  var isLeftOut = false
  /// Debug events until then, in milliseconds since 1970; 0 for none.
  var debuggedUntil: Int64 = 0
  /// One of so many evaluations makes a feature event, and one of so many a debug event; 0 and less: none (server 7.6).
  var samplingRatio: Int64 = 1

  var isMoreThanACount: Bool { isTracked || debuggedUntil > 0 }
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
  /// The flag that wanted this one as its prerequisite; nil where the caller asked for it (server 4.2).
  var prerequisiteOf: ByteView?
}

/// Which counter of a flag's summary an evaluation belongs to: not by its value (4.4.5).
struct CounterIdentity: Equatable {
  var variation: Int64?
  var version: Int64?
}
