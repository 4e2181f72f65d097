/// What is said of the work now and then: a line for people, or a JSON object.
struct ForwardReport {
  let isJSON: Bool
  private var sentBefore = 0.0
  private var toldAt = Moment.monotonicMilliseconds

  init(isJSON: Bool) { self.isJSON = isJSON }

  mutating func tell(_ figures: ForwardFigures) {
    let now = Moment.monotonicMilliseconds
    let rate = (figures.sent - sentBefore) * 1000 / Double(max(1, now - toldAt))
    (sentBefore, toldAt) = (figures.sent, now)
    if isJSON { return write("figures", [("rate", .number(Self.tenths(rate)))] + Self.members(figures)) }
    let parts = [
      Moment.text, "\(Self.tenths(rate))/s", "sent \(Self.whole(figures.sent))", "refused \(Self.whole(figures.refused))",
      "waiting \(Self.whole(figures.waiting))", "lag \(Self.lag(figures))",
    ]
    Output.line(parts.joined(separator: "  "))
  }

  func began(_ place: String, _ service: String) {
    if isJSON { return write("started", [("from", .string(place)), ("to", .string(service))]) }
    Output.error("hoist: forwarding from \(place) to \(service)")
  }

  /// Nothing more is taken.
  func draining(_ figures: ForwardFigures) {
    if isJSON { return write("draining", Self.members(figures)) }
    Output.error("hoist: ends when the \(Self.whole(figures.waiting)) \(figures.unit) that wait here are sent")
  }

  /// - Parameter isDone: nothing is left of what was taken.
  func ended(_ figures: ForwardFigures, isDone: Bool) {
    if isJSON { return write("ended", [("done", .bool(isDone))] + Self.members(figures)) }
    Output.error(
      "hoist: forwarded \(Self.whole(figures.sent)) \(figures.unit), \(Self.whole(figures.refused)) were refused"
        + (isDone ? "" : "; what is left stays where it came from"))
  }

  private static func members(_ figures: ForwardFigures) -> [(name: String, value: JSON)] {
    [
      ("taken", .number(whole(figures.sum(\.taken)))), ("sent", .number(whole(figures.sent))),
      ("refused", .number(whole(figures.refused))), ("expired", .number(whole(figures.sum(\.expired)))),
      ("forgotten", .number(whole(figures.sum(\.forgotten)))), ("retried", .number(whole(figures.sum(\.retried)))),
      ("waiting", .number(whole(figures.waiting))),
      figures.unit == .events
        ? ("lag_ms", .number(whole(figures.lag * 1000))) : ("lag_records", .number(whole(figures.lag))),
    ]
  }

  private static func lag(_ figures: ForwardFigures) -> String {
    figures.unit == .events ? "\(tenths(figures.lag)) s" : "\(whole(figures.lag)) records"
  }

  private func write(_ event: String, _ members: [(name: String, value: JSON)]) {
    Output.json(.object([("time", .string(Moment.text)), ("event", .string(event))] + members))
  }

  static func whole(_ number: Double) -> String { "\(Int64(exactly: number.rounded()) ?? 0)" }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int64(exactly: (number * 10).rounded()) ?? 0
    return "\(tenths / 10).\(tenths % 10)"
  }
}
