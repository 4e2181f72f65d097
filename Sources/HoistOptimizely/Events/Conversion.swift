public import HoistBase
public import HoistCore
public import HoistJSON

/// Conversions: what a visitor did (`OPT-63`).
public enum OptimizelyConversions {
  /// - Parameters:
  ///   - eventKey: of an event of the project.
  ///   - tags: a JSON object, or nil.
  /// - Returns: nil for an unknown event: nothing is sent then.
  public static func event(
    _ eventKey: some ByteSource, tags: JSONValue?, in snapshot: Snapshot, context: FrozenContext?, client: EventClient,
    stamp: EventStamp
  ) -> UserEvent? {
    let base = snapshot.base
    let root = OptimizelyFlags.root(snapshot)
    guard let record = eventKey.withBytes({ root.pointee.events.find($0, in: base) }) else { return nil }
    var conversion = EventWriter(base: base, context: context, client: client)
      .event(record.assumingMemoryBound(to: EventRecord.self), tags: tags, stamp)
    conversion.isTracked = true
    return conversion
  }
}

extension EventWriter {
  /// A conversion.
  func event(_ event: UnsafePointer<EventRecord>, tags: JSONValue?, _ stamp: EventStamp) -> UserEvent {
    self.event { writer in
      writer.key("events")
      writer.array { writer in
        writer.object { writer in
          writer.member("entity_id", event.pointee.id.bytes(base))
          writer.member("key", event.pointee.key.bytes(base))
          stamp.write(to: &writer)
          EventTags.write(tags?.object, to: &writer)
        }
      }
    }
  }
}

/// The tags of a conversion (protocols/optimizely.md 3.3).
enum EventTags {
  /// The tags of an event of the core: its properties, and its value as the tag `value`.
  static func document(of event: TrackedEvent) -> JSONDocument? {
    var writer = JSONWriter()
    writer.object { writer in
      if let value = event.value {
        writer.key("value")
        writer.double(value)
      }
      for (name, value) in event.properties where event.value == nil || !name.utf8.elementsEqual("value".utf8) {
        writer.key(name)
        value.write(to: &writer)
      }
    }
    return try? JSONDocument(parsing: writer.bytes)
  }

  static func write(_ tags: JSONObject?, to writer: inout JSONWriter) {
    if let revenue = tags?["revenue"].flatMap({ wholeNumber($0) }) {
      writer.key("revenue")
      writer.int(revenue)
    }
    if let value = tags?["value"]?.double {
      writer.key("value")
      writer.double(value)
    }
    writer.key("tags")
    writer.beginObject()
    if let tags {
      for (name, value) in tags where !value.isNull {
        guard let text = try? value.text(wholeDoubles: .withFraction) else { continue }
        writer.key(utf8: name.utf8)
        writer.raw(text)
      }
    }
    writer.endObject()
  }

  /// Integers, and doubles cut toward zero.
  private static func wholeNumber(_ value: JSONValue) -> Int64? {
    value.int64 ?? value.double.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }
}

extension AttributeValue {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let truth): writer.bool(truth)
    case .int(let whole), .date(let whole): writer.int(whole)
    case .double(let number): writer.double(number)
    case .string(let text): text.withUnsafeBufferPointer { writer.string(utf8: $0) }
    case .strings(let texts):
      writer.array { writer in
        for text in texts { text.withUnsafeBufferPointer { writer.string(utf8: $0) } }
      }
    case .json(let text): writer.raw(text)
    }
  }
}
