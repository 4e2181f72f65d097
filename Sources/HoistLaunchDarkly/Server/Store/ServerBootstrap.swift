internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Rules of the host's own: as a poll brings them, where a flag may be written down by its value alone, under "flagValues".
enum ServerBootstrap {
  /// The same as a poll brings it.
  static func document(_ text: [UInt8]) throws(FetchFailure) -> [UInt8] {
    do throws(FlagFailure) {
      return try text.withBytes { text in
        Result { () throws(FlagFailure) in try JSONNode.withRoot(of: text, .standard, document) }
      }.get()
    } catch {
      throw FetchFailure(.parse, error.reason)
    }
  }

  private static func document(_ root: JSONNode) throws(FlagFailure) -> [UInt8] {
    guard root.kind == .object else { throw FlagFailure("they are no JSON object") }
    let (flags, values) = (try root.object("flags"), try root.object("flagValues"))
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("flags")
    writer.beginObject()
    var keys: Set<[UInt8]> = []
    for flag in flags.map({ Array($0.members) }) ?? [] {
      keys.insert(Array(flag.name))
      writer.key(utf8: flag.name)
      writer.value(flag)
    }
    for value in values.map({ Array($0.members) }) ?? [] {
      guard keys.insert(Array(value.name)).inserted else {
        throw FlagFailure("flag \"\(String(decoding: value.name.prefix(80), as: UTF8.self))\" is in both flags and flagValues")
      }
      write(value, to: &writer)
    }
    writer.endObject()
    if let segments = try root.object("segments") {
      writer.key("segments")
      writer.value(segments)
    }
    writer.endObject()
    return writer.bytes
  }

  /// A flag that gives one value to everybody.
  private static func write(_ value: JSONNode, to writer: inout JSONWriter) {
    writer.key(utf8: value.name)
    writer.object { writer in
      writer.key("key")
      writer.string(utf8: value.name)
      writer.member("version", 1)
      writer.member("on", true)
      writer.object("fallthrough") { $0.member("variation", 0) }
      writer.array("variations") { $0.value(value) }
    }
  }
}

extension Snapshot {
  /// The rules as a poll brings them, with the items that are known to be deleted: what the store keeps.
  func rulesDocument(tombstones: [ItemName: Int64]) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: Int(clamping: head.pointee.byteCount / 2))
    writer.beginObject()
    writer.key("flags")
    writer.beginObject()
    for index in 0..<flagCount {
      let flag = serverFlag(record(at: index))
      writer.key(name(of: flag))
      writer.raw(flag.pointee.source.text(base))
    }
    Self.write(tombstones, of: .flag, to: &writer)
    writer.endObject()
    writer.key("segments")
    writer.beginObject()
    for segment in segments {
      writer.key(segment.pointee.name.bytes(base))
      writer.raw(segment.pointee.source.text(base))
    }
    Self.write(tombstones, of: .segment, to: &writer)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  private static func write(_ tombstones: [ItemName: Int64], of kind: ItemName.Kind, to writer: inout JSONWriter) {
    for (item, version) in tombstones where item.kind == kind {
      item.key.withUnsafeBufferPointer { writer.key(utf8: $0) }
      writer.object { writer in
        writer.member("version", version)
        writer.member("deleted", true)
      }
    }
  }
}
