internal import HoistBase
internal import HoistJSON

/// An exposure as a row of the pipeline holds it.
///
///     version 3 · item of the batch, without `qt` · text of the flag · text of the visitor
///
/// The texts are for the host's observer; empty without one.
struct ActivateRow: Equatable {
  private static let version: UInt8 = 3

  var item: [UInt8]
  var flag: [UInt8]
  var visitor: [UInt8]

  init(item: [UInt8], flag: [UInt8], visitor: [UInt8]) {
    (self.item, self.flag, self.visitor) = (item, flag, visitor)
  }

  var isTold: Bool { !flag.isEmpty }

  /// - Parameter payload: from a store, so it may be anything.
  init?(_ payload: [UInt8]) {
    let parts = payload.withUnsafeBytes { bytes -> ActivateRow? in
      var reader = PartReader(bytes)
      guard reader.byte() == Self.version, let item = reader.part(), let flag = reader.part() else { return nil }
      return ActivateRow(item: Array(item), flag: Array(flag), visitor: Array(reader.rest))
    }
    guard let parts else { return nil }
    self = parts
  }

  var payload: [UInt8] {
    let size = 1 + PartWriter.bytes(of: item.count) + PartWriter.bytes(of: flag.count) + visitor.count
    return [UInt8](unsafeUninitializedCapacity: size) { room, count in
      guard let start = room.baseAddress else { return }
      var writer = PartWriter(UnsafeMutableRawPointer(start))
      writer.byte(Self.version)
      item.withUnsafeBytes { writer.part($0) }
      flag.withUnsafeBytes { writer.part($0) }
      visitor.withUnsafeBytes { writer.plain($0) }
      count = size
    }
  }

  /// 3.4: `vid` is always the visitor's own id.
  static func item(visitorID: ByteView, anonymousID: ByteView?, groupID: ByteView, variationID: ByteView, isQA: Bool) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 128)
    writer.verbatim(#"{"vid":"#)
    writer.text(visitorID)
    if let anonymousID {
      writer.verbatim(#","aid":"#)
      writer.text(anonymousID)
    }
    writer.verbatim(#","caid":"#)
    writer.text(groupID)
    writer.verbatim(#","vaid":"#)
    writer.text(variationID)
    if isQA { writer.verbatim(#","qa":true"#) }
    writer.verbatim("}")
    return writer.bytes
  }

  /// Whether the service can take it: a batch with one item that lacks an id is refused as a whole (3.4).
  func isSound() throws(JSONFailure) -> Bool {
    guard try QueuedItem.isSound(item) else { return false }
    return try JSONNode.judge(item) { item in
      (item["vid"]?.utf8?.count ?? 0) > 0 && (item["caid"]?.utf8?.count ?? 0) > 0 && (item["vaid"]?.utf8?.count ?? 0) > 0
    }
  }
}
