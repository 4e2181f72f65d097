internal import HoistBase
internal import HoistJSON

/// What events say of one context (3.5, 3.6), written once per context and not once per event. Immutable.
///
/// Snapshots of the context's flags hold it, so that an evaluation finds it without counting a reference.
final class EventContext: Sendable {
  /// Equal for equal contexts: summaries by context (LD-90) are keyed by it.
  let fingerprint: UInt64
  /// The fully-qualified key, as a JSON string.
  let key: [UInt8]
  /// Redacted as for every event.
  let json: [UInt8]
  /// Redacted as for feature events, where anonymous parts have no attributes (LD-83).
  let anonymousJSON: [UInt8]
  /// The names of its kinds, as JSON strings.
  let kinds: [[UInt8]]

  init(fullyQualifiedKey: String, kinds: [String], json: [UInt8], anonymousJSON: [UInt8], fingerprint: UInt64) {
    self.fingerprint = fingerprint
    key = Self.quoted(fullyQualifiedKey)
    self.json = json
    self.anonymousJSON = anonymousJSON
    self.kinds = kinds.map { Self.quoted($0) }
  }

  static func quoted(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.string(text)
    return writer.bytes
  }
}
