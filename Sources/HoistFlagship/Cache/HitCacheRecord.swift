internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// One hit or activate in the form of the host's cache (6.2): reading and writing.
struct HitCacheRecord {
  private static let version: Int64 = 1
  private static let activateType = "ACTIVATE"
  /// A later time is in milliseconds, as other SDKs of the vendor write it.
  private static let greatestSeconds = 1e11

  let key: [UInt8]
  let row: EventRow

  // MARK: To the host

  /// - Parameter row: of either pipeline.
  /// - Returns: nil for a row that cannot be read.
  init?(_ row: EventRow) {
    guard let visitor = Self.visitor(of: row) else { return nil }
    self.row = row
    key = visitor.visitorID + [UInt8(ascii: ":")] + row.id.utf8
  }

  /// The record's JSON, without its key.
  func write(to writer: inout JSONWriter, environmentID: String) {
    guard let visitor = Self.visitor(of: row) else { return }
    let activate = row.pipeline == ActivateReporter.pipelineName ? ActivateRow(row.payload) : nil
    let content = activate.map { Self.content(of: $0, environmentID: environmentID) } ?? Self.content(of: row.payload)
    writer.verbatim(#"{"version":1,"data":{"visitorId":"#)
    visitor.visitorID.withUnsafeBytes { writer.text($0) }
    writer.verbatim(#","anonymousId":"#)
    if let anonymous = visitor.anonymousID { anonymous.withUnsafeBytes { writer.text($0) } } else { writer.null() }
    writer.verbatim(#","type":"#)
    if activate != nil { writer.string(Self.activateType) } else { visitor.type.withUnsafeBytes { writer.text($0) } }
    writer.verbatim(#","time":"#)
    writer.double(Double(row.createdUnixMilliseconds) / 1_000)
    writer.verbatim(#","content":"#)
    writer.raw(content)
    writer.verbatim(#","numberOfBytes":"#)
    writer.int(Int64(content.count))
    writer.verbatim("}}")
  }

  private static func content(of item: [UInt8]) -> [UInt8] { item.dropLast() + Array(#","qt":0}"#.utf8) }

  private static func content(of activate: ActivateRow, environmentID: String) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: activate.item.count + activate.flag.count + activate.visitor.count + 128)
    writer.verbatim(#"{"cid":"#)
    writer.string(environmentID)
    writer.raw(activate.item.dropFirst().dropLast())
    writer.verbatim(#","qt":0"#)
    if activate.isTold {
      writer.verbatim(#","internal_exposure_flag":"#)
      activate.flag.withUnsafeBytes { writer.text($0) }
      writer.verbatim(#","internal_exposure_visitor":"#)
      activate.visitor.withUnsafeBytes { writer.text($0) }
    }
    writer.verbatim("}")
    return writer.bytes
  }

  /// The visitor of a row, and the type of a hit, from its item.
  private static func visitor(of row: EventRow) -> (visitorID: [UInt8], anonymousID: [UInt8]?, type: [UInt8])? {
    let isActivate = row.pipeline == ActivateReporter.pipelineName
    guard let item = isActivate ? ActivateRow(row.payload)?.item : row.payload, (try? QueuedItem.isSound(item)) == true else {
      return nil
    }
    let facts = try? item.withUnsafeBytes { bytes throws(JSONFailure) in
      try JSONNode.parse(bytes) { item in
        (vid: item.bytes("vid"), aid: item.bytes("aid"), cuid: item.bytes("cuid"), type: item.bytes("t"))
      }
    }
    guard let facts, let vid = facts.vid else { return nil }
    if isActivate { return (vid, facts.aid, []) }
    return (facts.cuid ?? vid, facts.cuid == nil ? nil : vid, facts.type ?? [])
  }

  // MARK: From the host

  /// - Parameters:
  ///   - record: what the host keeps under `key`.
  ///   - now: for a record without a time.
  /// - Returns: nil for what is no hit.
  init?(key: [UInt8], record: JSONNode, now: Int64) {
    guard record["version"]?.int64 == Self.version, let data = record["data"], let content = data["content"],
      let id = Self.rowID(of: key)
    else { return nil }
    let isActivate = data["type"]?.utf8.map { ByteView($0).reads("ACTIVATE") } ?? false
    let restored = isActivate ? Self.activate(content) : Self.hit(content)
    guard let restored else { return nil }
    self.key = key
    row = EventRow(
      id: id, pipeline: isActivate ? ActivateReporter.pipelineName : HitPool.pipelineName, subject: restored.subject,
      createdUnixMilliseconds: Self.time(data["time"] ?? data["timestamp"]) ?? now, payload: restored.payload)
  }

  /// The visitor's id and a colon before an id of the library's own are left out.
  private static func rowID(of key: [UInt8]) -> String? {
    guard !key.isEmpty else { return nil }
    let own = key.suffix(36)
    let isOwn =
      key.count > 37 && key[key.count - 37] == UInt8(ascii: ":")
      && own.allSatisfy { ASCII.hexValue($0) != nil || $0 == UInt8(ascii: "-") }
    return String(decoding: isOwn ? own : key[...], as: UTF8.self)
  }

  private static func time(_ node: JSONNode?) -> Int64? {
    guard let value = node?.double, value.isFinite, value >= 0 else { return nil }
    let milliseconds = value > greatestSeconds ? value : value * 1_000
    return Int64(exactly: milliseconds.rounded())
  }

  private static func activate(_ content: JSONNode) -> (subject: String, payload: [UInt8])? {
    guard let visitor = content["vid"]?.utf8, let group = content["caid"]?.utf8, let variation = content["vaid"]?.utf8,
      !visitor.isEmpty, !group.isEmpty, !variation.isEmpty
    else { return nil }
    let item = ActivateRow.item(
      visitorID: ByteView(visitor), anonymousID: content["aid"]?.utf8.map { ByteView($0) }, groupID: ByteView(group),
      variationID: ByteView(variation), isQA: content["qa"]?.bool ?? false)
    let flag = content.bytes("internal_exposure_flag"), seen = content.bytes("internal_exposure_visitor")
    let isTold = [flag, seen].allSatisfy { part in part.flatMap { try? QueuedItem.isSound($0) } == true }
    let row = ActivateRow(item: item, flag: isTold ? flag ?? [] : [], visitor: isTold ? seen ?? [] : [])
    return (String(decoding: visitor, as: UTF8.self), row.payload)
  }

  /// The item as it was, but for `qt`, which is reckoned anew.
  private static func hit(_ content: JSONNode) -> (subject: String, payload: [UInt8])? {
    guard let members = content.object, let type = content["t"]?.utf8, let vid = content["vid"]?.utf8, !vid.isEmpty,
      HitType.allCases.contains(where: { ByteView(type).reads($0.text) })
    else { return nil }
    var writer = JSONWriter(reservingCapacity: 256)
    writer.beginObject()
    for member in members where !ByteView(member.name).reads("qt") {
      writer.key(utf8: member.name)
      writer.value(member)
    }
    writer.endObject()
    let isConsent = ByteView(type).reads("EVENT") && content["ea"]?.utf8.map { ByteView($0).reads("fs_consent") } ?? false
    let visitor = content["cuid"]?.utf8 ?? vid
    return (isConsent ? "" : String(decoding: visitor, as: UTF8.self), writer.bytes)
  }
}

extension JSONNode {
  fileprivate func bytes(_ key: StaticString) -> [UInt8]? { self[key]?.utf8.map { Array($0) } }
}
