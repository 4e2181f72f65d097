internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The notification of an exposure for the host: two JSON texts (protocols/flagship.md 5.4; FS-27 to FS-29).
enum ExposureText {
  static func visitor(visitorID: ByteView, anonymousID: ByteView?, context: FrozenContext?) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction, reservingCapacity: 512)
    writer.verbatim(#"{"id":"#)
    writer.text(visitorID)
    writer.verbatim(#","anonymousId":"#)
    if let anonymousID { writer.text(anonymousID) } else { writer.null() }
    writer.verbatim(#","context":{"#)
    for index in 0..<(context?.attributeCount ?? 0) {
      guard let attribute = context?.attribute(at: index) else { continue }
      writer.key(utf8: attribute.pointee.nameBytes.bindMemory(to: UInt8.self))
      switch attribute.pointee.kind {
      case .null: writer.null()
      case .bool: writer.bool(attribute.pointee.integer != 0)
      case .int: writer.int(attribute.pointee.integer)
      case .double: writer.double(attribute.pointee.number)
      case .string, .date: writer.text(attribute.pointee.textBytes)
      case .strings, .json: writer.raw(attribute.pointee.textBytes)
      }
    }
    writer.verbatim("}}")
    return writer.bytes
  }

  /// - Parameter value: JSON text.
  static func flag(key: ByteView, value: ByteView, fallback: EvaluationFallback, metadata: FlagMetadata) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction, reservingCapacity: 384)
    writer.verbatim(#"{"key":"#)
    writer.text(key)
    writer.verbatim(#","value":"#)
    if value.isEmpty { writer.null() } else { writer.raw(value) }
    if fallback.kind != .none {
      writer.verbatim(#","defaultValue":"#)
      writer.value(fallback)
    }
    writer.verbatim(#","metadata":{"#)
    metadata.writeMembers(to: &writer)
    writer.verbatim("}}")
    return writer.bytes
  }
}

extension JSONWriter {
  mutating func text(_ bytes: ByteView) { string(utf8: bytes.bindMemory(to: UInt8.self)) }

  /// A value as it crosses the border: JSON that is none becomes a text.
  fileprivate mutating func value(_ value: EvaluationFallback) {
    switch value.kind {
    case .none: null()
    case .bool: bool(value.integer != 0)
    case .int: int(value.integer)
    case .double: double(value.number)
    case .string: text(value.text)
    case .json: if (try? JSONNode.parse(value.text, { _ in })) != nil { raw(value.text) } else { text(value.text) }
    }
  }
}
