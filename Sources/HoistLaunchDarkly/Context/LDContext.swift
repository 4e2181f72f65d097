internal import HoistCore
internal import HoistJSON

/// Whom flags are evaluated for (3); immutable.
struct LDContext: Sendable, Equatable {
  /// The context as flag requests carry it (3.4).
  let requestJSON: [UInt8]

  init(_ frozen: FrozenContext) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("key")
      writer.string(frozen.targetingKey.map { String(decoding: $0, as: UTF8.self) } ?? "")
      writer.key("kind")
      writer.string("user")
    }
    requestJSON = writer.bytes
  }
}
