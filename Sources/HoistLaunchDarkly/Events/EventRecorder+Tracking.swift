internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Events of the host through the core (LD-40, LD-44): properties are the data, the value is the metric.
extension EventRecorder {
  func track(_ event: EventView) -> Status {
    EventData.with(event) { data in
      track(event.key, data: data, metric: event.value, at: event.unixMilliseconds)
    }
  }

  func track(_ event: TrackedEvent) -> Status {
    let data = event.properties.isEmpty ? nil : Self.document(of: event.properties)
    return event.key.withBytes { key in
      func track(_ data: ByteView?) -> Status {
        self.track(key, data: data, metric: event.value, at: event.unixMilliseconds)
      }
      return data.map { $0.withBytes { track($0) } } ?? track(nil)
    }
  }

  static func document(of properties: [(name: String, value: AttributeValue)]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in properties {
        writer.key(name)
        switch value {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.int(value)
        case .double(let value): writer.double(value)
        case .string(let text): text.withUnsafeBufferPointer { writer.string(utf8: $0) }
        case .strings(let list):
          writer.array { writer in for text in list { text.withUnsafeBufferPointer { writer.string(utf8: $0) } } }
        case .date(let milliseconds): writer.string(RFC3339.text(unixMilliseconds: milliseconds))
        case .json(let text): writer.raw(EventData.isJSON(text) ? text : Array("null".utf8))
        }
      }
    }
    return writer.bytes
  }
}
