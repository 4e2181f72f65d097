/// How much of one visitor is kept; what exceeds it is logged, once per call.
enum VisitorLimits {
  /// Indexes of custom data; further ones are refused.
  static let customData = 1_000
  /// URLs; beyond it the one seen longest ago goes.
  static let pages = 1_000
  /// Beyond it the oldest go; that they were reported is not affected.
  static let conversions = 10_000
  /// Beyond it the half that was assigned longest ago goes.
  static let assignments = 10_000
  /// Data that waits for the first configuration; beyond it the oldest go.
  static let aside = 1_000
  /// Visits before the current one: as many as the service sends.
  static let visits = 25
  /// A visit ends when nothing has happened for so long.
  static let visitIdleMilliseconds: Int64 = 30 * 60_000
  /// How old the time of a visitor's last event may become before a decision renews it.
  static let lastEventGrainMilliseconds: Int64 = 60_000
  /// Closed visitors whose data stays in memory; older ones are read from the store again.
  static let closedVisitors = 1_000
}
