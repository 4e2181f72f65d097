internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Writes what impressions and conversions have in common.
struct EventWriter {
  let base: UnsafeRawPointer
  let context: FrozenContext?
  let client: EventClient

  private var root: UnsafePointer<SnapshotRoot> { base.at(Snapshot(base).head.pointee.rootOffset) }

  /// - Parameter snapshot: writes the members of the visitor's one snapshot.
  func event(_ snapshot: (inout JSONWriter) -> Void) -> UserEvent {
    var visitor = JSONWriter()
    visitor.object { visitor in
      visitor.member("visitor_id", context?.targetingKey ?? .noBytes)
      visitor.key("attributes")
      visitor.array { writeAttributes(to: &$0) }
      visitor.key("snapshots")
      visitor.array { $0.object(snapshot) }
    }
    let root = root
    return UserEvent(
      projectID: Array(root.pointee.projectID.bytes(base)), revision: Array(root.pointee.revision.bytes(base)),
      region: root.pointee.region, head: head(), visitor: visitor.bytes)
  }

  private func head() -> [UInt8] {
    let root = root
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("account_id", root.pointee.accountID.bytes(base))
    writer.member("project_id", root.pointee.projectID.bytes(base))
    writer.member("revision", root.pointee.revision.bytes(base))
    writer.key("client_name")
    writer.string(client.name)
    writer.key("client_version")
    writer.string(client.version)
    writer.key("anonymize_ip")
    writer.bool(root.pointee.anonymizesAddresses)
    writer.key("enrich_decisions")
    writer.bool(true)
    writer.key("region")
    writer.string(root.pointee.region.text.description)
    writer.key("visitors")
    writer.beginArray()
    return writer.bytes
  }

  /// Those the project knows, and the vendor's own; the rest is dropped without a word.
  private func writeAttributes(to writer: inout JSONWriter) {
    let root = root
    for index in 0..<(context?.attributeCount ?? 0) {
      guard let attribute = context?.attribute(at: index), isSent(attribute) else { continue }
      let name = attribute.pointee.nameBytes
      let entity: ByteView
      if let record = root.pointee.attributes.find(name, hash: attribute.pointee.nameHash, in: base) {
        entity = record.assumingMemoryBound(to: AttributeRecord.self).pointee.id.bytes(base)
      } else if "$opt_".withBytes({ name.hasPrefix($0) }) {
        entity = name
      } else {
        continue
      }
      writer.object { writer in
        writer.member("entity_id", entity)
        writer.member("key", name)
        writer.key("type")
        writer.string("custom")
        writer.key("value")
        writeValue(of: attribute, to: &writer)
      }
    }
    guard root.pointee.botFiltering >= 0 else { return }
    writer.object { writer in
      for name in ["entity_id", "key"] {
        writer.key(name)
        writer.string("$opt_bot_filtering")
      }
      writer.key("type")
      writer.string("custom")
      writer.key("value")
      writer.bool(root.pointee.botFiltering == 1)
    }
  }

  private func isSent(_ attribute: UnsafePointer<FrozenAttribute>) -> Bool {
    switch attribute.pointee.kind {
    case .bool, .string, .date: true
    case .int, .double: ExactNumber.of(attribute) != nil
    case .null, .strings, .json: false
    }
  }
}

/// An attribute's value as JSON.
func writeValue(of attribute: UnsafePointer<FrozenAttribute>, to writer: inout JSONWriter) {
  switch attribute.pointee.kind {
  case .null: writer.null()
  case .bool: writer.bool(attribute.pointee.integer != 0)
  case .int: writer.int(attribute.pointee.integer)
  case .double: writer.double(attribute.pointee.number)
  case .string, .date: writer.string(utf8: attribute.pointee.textBytes.bindMemory(to: UInt8.self))
  case .strings, .json: writer.raw(attribute.pointee.textBytes)
  }
}
