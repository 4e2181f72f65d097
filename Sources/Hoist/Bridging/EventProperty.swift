internal import CHoist
internal import HoistBase
internal import HoistCore

/// A property of an event as C reads it: a whole number that a double would alter is JSON.
struct EventProperty {
  let name: CText
  private var type = HOIST_EVENT_TEXT
  private var text: CText?
  private var number: Double = 0
  private var truth = false

  /// - Throws: for a text with a NUL, at which C's ends.
  init(_ name: String, _ value: AttributeValue) throws(Refusal) {
    if case .string(let text) = value, text.contains(0) { throw GivenEvent.refusal(name, "has a NUL, which ends C's texts") }
    self.name = CText(name)
    switch value {
    case .string(let bytes): text = CText(bytes)
    case .date(let milliseconds): text = CText(RFC3339.text(unixMilliseconds: milliseconds))
    case .double(let real): (type, number) = (HOIST_EVENT_NUMBER, real)
    case .int(let whole) where Int64(exactly: Double(whole)) == whole: (type, number) = (HOIST_EVENT_NUMBER, Double(whole))
    case .bool(let value): (type, truth) = (HOIST_EVENT_BOOL, value)
    case .null, .int, .strings, .json: (type, text) = (HOIST_EVENT_JSON, CText(ContextJSON.text(of: value)))
    }
  }

  /// Valid as long as this one.
  var told: hoist_event_property {
    hoist_event_property(
      struct_size: MemoryLayout<hoist_event_property>.size, name: name.pointer, type: hoist_event_property_type(type),
      text: text?.pointer, number: number, boolean: truth)
  }
}
