internal import HoistCore

/// What a decision comes to.
struct Choice: BitwiseCopyable {
  enum Refusal: UInt8, BitwiseCopyable {
    case none
    /// The flag is off in this environment.
    case environmentDisabled
    /// The visitor has refused, and the account wants no answer then (protocols/kameleoon.md 3.8).
    case blocked
  }

  var refusal = Refusal.none
  /// The cookie of web SDKs decided: nothing is saved or sent (3.7).
  var isSimulated = false
  var reason = Reason.default
  /// The `RowRecord`; that of "everyone else" where no rule decided. 0 with a refusal.
  var row: UInt32 = 0
  /// The `RowRecord` of the holdout; 0 for none.
  var holdoutRow: UInt32 = 0
}
