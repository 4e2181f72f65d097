internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Writes what impressions and conversions have in common.
struct EventWriter {
  let base: UnsafeRawPointer
  let context: FrozenContext?
  let client: EventClient

  private var root: UnsafePointer<SnapshotRoot> { Snapshot(base).root() }

  /// - Parameter snapshot: writes the members of the visitor's one snapshot.
  func event(_ snapshot: (inout JSONWriter) -> Void) -> UserEvent {
    var visitor = JSONWriter(reservingCapacity: 1024)
    visitor.verbatim(#"{"visitor_id":"#)
    visitor.text(context?.targetingKey ?? .noBytes)
    visitor.verbatim(#","attributes":["#)
    writeAttributes(to: &visitor)
    visitor.verbatim(#"],"snapshots":[{"#)
    snapshot(&visitor)
    visitor.verbatim("}]}")
    let head = client.heads.head(of: Snapshot(base).head.pointee.id) { makeHead() }
    return UserEvent(
      projectID: head.projectID, revision: head.revision, region: head.region, head: head.body, visitor: visitor.bytes)
  }

  private func makeHead() -> EventHead {
    let root = root
    return EventHead(
      snapshot: Snapshot(base).head.pointee.id, projectID: Array(root.pointee.projectID.bytes(base)),
      revision: Array(root.pointee.revision.bytes(base)), region: root.pointee.region, body: body())
  }

  private func body() -> [UInt8] {
    let root = root
    var writer = JSONWriter(reservingCapacity: 256)
    writer.verbatim(#"{"account_id":"#)
    writer.text(root.pointee.accountID.bytes(base))
    writer.verbatim(#","project_id":"#)
    writer.text(root.pointee.projectID.bytes(base))
    writer.verbatim(#","revision":"#)
    writer.text(root.pointee.revision.bytes(base))
    writer.verbatim(#","client_name":"#)
    writer.string(client.name)
    writer.verbatim(#","client_version":"#)
    writer.string(client.version)
    writer.verbatim(#","anonymize_ip":"#)
    writer.bool(root.pointee.anonymizesAddresses)
    writer.verbatim(#","enrich_decisions":true,"region":"#)
    writer.string(root.pointee.region.text.description)
    writer.verbatim(#","visitors":["#)
    return writer.bytes
  }

  /// The attributes that the project knows, and the vendor's own; others are dropped silently.
  private func writeAttributes(to writer: inout JSONWriter) {
    let root = root
    var isFirst = true
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
      writer.verbatim(isFirst ? #"{"entity_id":"# : #",{"entity_id":"#)
      writer.text(entity)
      writer.verbatim(#","key":"#)
      writer.text(name)
      writer.verbatim(#","type":"custom","value":"#)
      writeValue(of: attribute, to: &writer)
      writer.verbatim("}")
      isFirst = false
    }
    guard root.pointee.botFiltering >= 0 else { return }
    if !isFirst { writer.verbatim(",") }
    writer.verbatim(#"{"entity_id":"$opt_bot_filtering","key":"$opt_bot_filtering","type":"custom","value":"#)
    writer.bool(root.pointee.botFiltering == 1)
    writer.verbatim("}")
  }

  private func isSent(_ attribute: UnsafePointer<FrozenAttribute>) -> Bool {
    switch attribute.pointee.kind {
    case .bool, .string, .date: true
    case .int, .double: ExactNumber.of(attribute) != nil
    case .null, .strings, .json: false
    }
  }
}

extension JSONWriter {
  mutating func text(_ bytes: ByteView) { string(utf8: bytes.bindMemory(to: UInt8.self)) }
}

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
