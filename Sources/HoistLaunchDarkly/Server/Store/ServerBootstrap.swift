internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Rules of the host's own: as a poll brings them, where a flag may be written down by its value alone, under "flagValues".
struct ServerBootstrap {
  /// The document, which is being written as far as its flags.
  private var flags: JSONWriter
  private var segments = JSONWriter()
  private var versions: ItemVersions
  private let ignoresDuplicates: Bool
  /// Where each item is written.
  private var origins: [ItemName: String] = [:]

  /// The same as a poll brings them, merged.
  /// - Parameters:
  ///   - texts: with a name for messages, where there are several.
  ///   - versions: of what was read before; unchanged where something cannot be read.
  static func document(
    _ texts: [(name: String?, text: [UInt8])], ignoresDuplicates: Bool, _ versions: inout ItemVersions
  ) throws(FetchFailure) -> [UInt8] {
    let bytes = texts.reduce(0) { $0 + $1.text.count }
    var merged = ServerBootstrap(versions: versions, ignoresDuplicates: ignoresDuplicates, expectedBytes: bytes)
    for (name, text) in texts {
      do throws(FlagFailure) { try merged.add(text, name) } catch {
        throw FetchFailure(.parse, name.map { "\"\($0)\": \(error.reason)" } ?? error.reason)
      }
    }
    versions = merged.versions
    return merged.finish()
  }

  private init(versions: ItemVersions, ignoresDuplicates: Bool, expectedBytes: Int) {
    (self.versions, self.ignoresDuplicates) = (versions, ignoresDuplicates)
    flags = JSONWriter(reservingCapacity: expectedBytes + 64)
    flags.beginObject()
    flags.key("flags")
    flags.beginObject()
    segments.beginObject()
  }

  private mutating func finish() -> [UInt8] {
    segments.endObject()
    flags.endObject()
    flags.key("segments")
    flags.raw(segments.bytes)
    flags.endObject()
    return flags.bytes
  }

  private mutating func add(_ text: [UInt8], _ name: String?) throws(FlagFailure) {
    try text.withBytes { text in
      Result { () throws(FlagFailure) in
        try JSONNode.withRoot(of: text, .standard) { (root) throws(FlagFailure) in try add(root, name) }
      }
    }.get()
  }

  private mutating func add(_ root: JSONNode, _ name: String?) throws(FlagFailure) {
    guard root.kind == .object else { throw FlagFailure("they are no JSON object") }
    for flag in try root.object("flags").map({ Array($0.members) }) ?? [] where try isFirst(.flag, flag, name ?? "flags") {
      versions.write(flag, .flag, to: &flags)
    }
    for value in try root.object("flagValues").map({ Array($0.members) }) ?? []
    where try isFirst(.flag, value, name ?? "flagValues") {
      write(value)
    }
    for segment in try root.object("segments").map({ Array($0.members) }) ?? []
    where try isFirst(.segment, segment, name ?? "segments") {
      versions.write(segment, .segment, to: &segments)
    }
  }

  /// - Parameter origin: where it is written.
  private mutating func isFirst(_ kind: ItemName.Kind, _ node: JSONNode, _ origin: String) throws(FlagFailure) -> Bool {
    let item = ItemName(kind, ByteView(node.name))
    guard let other = origins[item] else {
      origins[item] = origin
      return true
    }
    if ignoresDuplicates { return false }
    let noun = kind == .flag ? "flag" : "segment"
    let key = "\(noun) \"\(String(decoding: node.name.prefix(80), as: UTF8.self))\""
    throw FlagFailure(other == origin ? "\(key) is there twice" : "\(key) is in both \(other) and \(origin)")
  }

  /// A flag that gives one value to everybody.
  private mutating func write(_ value: JSONNode) {
    var text = JSONWriter()
    text.value(value)
    let version = text.bytes.withBytes { versions.version(of: .flag, ByteView(value.name), $0, written: 1) }
    flags.key(utf8: value.name)
    flags.object { writer in
      writer.key("key")
      writer.string(utf8: value.name)
      writer.member("version", version)
      writer.member("on", true)
      writer.object("fallthrough") { $0.member("variation", 0) }
      writer.array("variations") { $0.value(value) }
    }
  }
}

extension ItemVersions {
  /// One that cannot be read is written as it is, to be refused by name where it is read.
  fileprivate mutating func write(_ node: JSONNode, _ kind: ItemName.Kind, to writer: inout JSONWriter) {
    writer.key(utf8: node.name)
    guard let source = node.source, let written = (try? node.integer("version")) ?? nil else { return writer.value(node) }
    let version = self.version(of: kind, ByteView(node.name), source, written: written)
    if version == written { writer.value(node) } else { writer.item(node, version: version) }
  }
}

extension JSONWriter {
  /// An object with another version.
  mutating func item(_ node: JSONNode, version: Int64) {
    object { writer in
      for member in node.members where !ByteView(member.name).reads("version") {
        writer.key(utf8: member.name)
        writer.value(member)
      }
      writer.member("version", version)
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
