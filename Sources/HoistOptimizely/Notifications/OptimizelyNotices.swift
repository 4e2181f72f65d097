internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Payloads of notifications as observers get them (protocols/optimizely.md 5.5; the header describes each kind).
enum OptimizelyNotices {
  typealias Entity = (id: ByteView, key: ByteView)

  static func decision(type: StaticString, context: FrozenContext?, info: [UInt8]) -> OptimizelyNews {
    news(.decision) { writer in
      writer.member("type", type)
      write(context, to: &writer)
      writer.member("decisionInfo", raw: info)
    }
  }

  static func activate(
    experiment: Entity, variation: Entity, context: FrozenContext?, event: UserEvent, url: String
  ) -> OptimizelyNews {
    news(.activate) { writer in
      write("experiment", experiment, to: &writer)
      write(context, to: &writer)
      write("variation", variation, to: &writer)
      write(event, url, to: &writer)
    }
  }

  /// - Parameter tags: as the host gave them; nil for none.
  static func track(
    eventKey: ByteView, tags: JSONValue?, context: FrozenContext?, event: UserEvent, url: String
  ) -> OptimizelyNews {
    news(.track) { writer in
      writer.member("eventKey", eventKey)
      write(context, to: &writer)
      writer.key("eventTags")
      if let text = try? tags?.text(wholeDoubles: .withFraction) { writer.raw(text) } else { writer.object { _ in } }
      write(event, url, to: &writer)
    }
  }

  private static func news(_ kind: NotificationKind, _ members: (inout JSONWriter) -> Void) -> OptimizelyNews {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.object(members)
    return OptimizelyNews(kind, writer.bytes)
  }

  private static func write(_ name: String, _ entity: Entity, to writer: inout JSONWriter) {
    writer.object(name) { writer in
      writer.member("id", entity.id)
      writer.member("key", entity.key)
    }
  }

  private static func write(_ event: UserEvent, _ url: String, to writer: inout JSONWriter) {
    writer.object("event") { writer in
      writer.member("url", url)
      writer.member("body", raw: event.body)
    }
  }

  private static func write(_ context: FrozenContext?, to writer: inout JSONWriter) {
    writer.member("userId", context?.targetingKey ?? .noBytes)
    writer.key("attributes")
    OptimizelyAttributes.write(context, to: &writer)
  }
}

/// A user's attributes as a JSON object.
enum OptimizelyAttributes {
  static func text(_ context: FrozenContext?) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    write(context, to: &writer)
    return writer.bytes
  }

  static func write(_ context: FrozenContext?, to writer: inout JSONWriter) {
    writer.object { writer in
      for index in 0..<(context?.attributeCount ?? 0) {
        guard let attribute = context?.attribute(at: index) else { continue }
        writer.key(attribute.pointee.nameBytes)
        writeValue(of: attribute, to: &writer)
      }
    }
  }
}
