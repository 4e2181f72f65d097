import CHoist

/// What a watch prints: lines for people, or one JSON object a line.
struct WatchReport {
  let isJSON: Bool
  private(set) var hasSpoken = false

  init(isJSON: Bool) { self.isJSON = isJSON }

  mutating func ready(_ flags: [FlagDetail]) {
    if isJSON {
      return write("ready", ["flags": .array(flags.map(\.json))])
    }
    hasSpoken = true
    FlagDetail.show(flags)
  }

  /// - Parameter before: nil for a flag that was not known.
  mutating func changed(_ flag: FlagDetail, before: FlagDetail?) {
    if isJSON {
      return write("changed", ["flag": flag.json, "before": before?.json ?? .null])
    }
    let change = "\(Self.value(before)) → \(Self.value(flag))"
    line(flag.key, [change, flag.enabled ? "on" : "off", flag.variation, flag.reason])
  }

  /// A state of the service's own, e.g. of the connection.
  mutating func mode(_ mode: String, before: String) {
    if isJSON {
      return write("mode", ["mode": .string(mode), "before": .string(before)])
    }
    line("connection", [before.isEmpty ? mode : "\(before) → \(mode)"])
  }

  mutating func unknown(_ key: String, _ message: String) {
    if isJSON { return write("unknown", ["key": .string(key), "message": .string(message)]) }
    Output.error("hoist: \(key): \(message)")
    hasSpoken = true
  }

  mutating func say(_ event: String, _ message: String) {
    if isJSON {
      return write(event, ["message": .string(message)])
    }
    // The state is not printed beside the event that caused it.
    guard event != "state" else { return }
    Output.error("\(Moment.text)  \(event)  \(message)")
    hasSpoken = true
  }

  /// The part that people look for: the flag's value, else whether it is on.
  private static func value(_ flag: FlagDetail?) -> String {
    guard let flag, flag.errorCode != "FLAG_NOT_FOUND" else { return "-" }
    if !flag.shownValue.isEmpty { return flag.shownValue }
    return flag.enabled ? "on" : "off"
  }

  private mutating func line(_ subject: String, _ parts: [String]) {
    hasSpoken = true
    let shown = ([Moment.text, subject] + parts).filter { !$0.isEmpty }
    Output.line(Display.oneLine(shown.joined(separator: "  ")))
  }

  private mutating func write(_ event: String, _ members: JSON) {
    hasSpoken = true
    Output.json(.object([("time", .string(Moment.text)), ("event", .string(event))] + (members.members ?? [])))
  }
}
