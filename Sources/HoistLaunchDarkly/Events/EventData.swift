internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The properties of an event of the core as the data of a custom event: a JSON object.
enum EventData {
  /// Written on the stack, unless it is long.
  /// - Parameter body: gets nil when there are no properties.
  @inline(__always)
  static func with<Result>(_ event: EventView, _ body: (ByteView?) -> Result) -> Result {
    event.properties.isEmpty ? body(nil) : event.withPropertiesText { body(ByteView($0)) }
  }

  /// Whether a text may be put into an event as it is; nil when it is no JSON, false for null.
  static func isSomething(_ json: ByteView) -> Bool? { try? JSONNode.parse(json) { !$0.isNull } }

  static func isJSON(_ text: [UInt8]) -> Bool { text.withBytes { isSomething($0) != nil } }
}
