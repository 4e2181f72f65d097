internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The properties of an event of the core as the data of a custom event: a JSON object.
enum EventData {
  /// Written on the stack, unless it is long.
  /// - Parameter body: gets nil when there are no properties.
  @inline(__always)
  static func with<Result>(_ properties: UnsafeBufferPointer<EventView.Property>, _ body: (ByteView?) -> Result) -> Result {
    guard !properties.isEmpty else { return body(nil) }
    var room = 2
    for property in properties {
      room += JSONRawText.maximumStringBytes(property.name.count) + 2
        + (property.text.map { JSONRawText.maximumStringBytes($0.count) } ?? JSONRawText.maximumNumberBytes)
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { target in
      guard let start = target.baseAddress else { return body(nil) }
      return body(ByteView(start: start, count: write(properties, to: start)))
    }
  }

  private static func write(
    _ properties: UnsafeBufferPointer<EventView.Property>, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var end = 0
    for property in properties {
      target[end] = end == 0 ? UInt8(ascii: "{") : UInt8(ascii: ",")
      end += 1
      end += JSONRawText.writeString(property.name, to: target + end)
      target[end] = UInt8(ascii: ":")
      end += 1
      if let text = property.text {
        end += JSONRawText.writeString(text, to: target + end)
      } else {
        end += JSONRawText.writeNumber(property.number, to: target + end)
      }
    }
    target[end] = UInt8(ascii: "}")
    return end + 1
  }

  /// Whether a text may stand in an event as it is; nil when it is no JSON, false for null.
  static func isSomething(_ json: ByteView) -> Bool? { try? JSONNode.parse(json) { !$0.isNull } }

  static func isJSON(_ text: [UInt8]) -> Bool { text.withBytes { isSomething($0) != nil } }
}
