internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The types of hits on the wire (3.5).
enum HitType: UInt8, CaseIterable {
  case screen = 1, page, transaction, item, event, segment

  var text: StaticString {
    switch self {
    case .screen: "SCREENVIEW"
    case .page: "PAGEVIEW"
    case .transaction: "TRANSACTION"
    case .item: "ITEM"
    case .event: "EVENT"
    case .segment: "SEGMENT"
    }
  }

  init(_ kind: Hit.Kind) {
    switch kind {
    case .screen: self = .screen
    case .page: self = .page
    case .transaction: self = .transaction
    case .item: self = .item
    case .event: self = .event
    }
  }
}

/// A hit as it is recorded: copied together, to be written out when it is taken in (`HitItem`).
///
///     mark · type · bits · visitor id · anonymous id · the hit's members
///     or, of a segment hit: … · address of the context · bytes of the context
struct RecordedHit {
  /// What is written out begins with a brace.
  private static let mark: UInt8 = 1

  private struct Bits: OptionSet {
    let rawValue: UInt8
    static let anonymous = Bits(rawValue: 1)
    static let context = Bits(rawValue: 2)
  }

  let type: HitType
  let visitorID: ByteView
  let anonymousID: ByteView?
  /// Where the context stood whose bytes `members` are.
  private let context: UInt?
  /// JSON text without braces, from the hit.
  private let members: ByteView

  /// Lends all of the record but the members.
  /// - Parameter context: whose bytes stand in the members' place.
  static func withHead<Result>(
    _ type: HitType, of identity: VisitorIdentity, context: FrozenContext?, _ body: (ByteView) -> Result
  ) -> Result {
    let anonymous = identity.anonymousID
    let size = 3 + PartWriter.bytes(of: identity.visitorID.count) + PartWriter.bytes(of: anonymous?.count ?? 0)
      + (context == nil ? 0 : 8)
    var bits: Bits = anonymous == nil ? [] : .anonymous
    if context != nil { bits.formUnion(.context) }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { room in
      guard let start = room.baseAddress else { return body(.noBytes) }
      var writer = PartWriter(start)
      writer.byte(mark)
      writer.byte(type.rawValue)
      writer.byte(bits.rawValue)
      identity.visitorID.withUnsafeBytes { writer.part($0) }
      if let anonymous { anonymous.withUnsafeBytes { writer.part($0) } } else { writer.part(.noBytes) }
      if let context { writer.word(UInt64(UInt(bitPattern: context.base))) }
      return body(ByteView(room))
    }
  }

  /// - Returns: nil for what is written out already.
  init?(_ recorded: ByteView) {
    var reader = PartReader(recorded)
    guard reader.byte() == Self.mark, let type = reader.byte().flatMap({ HitType(rawValue: $0) }),
      let bits = reader.byte().map({ Bits(rawValue: $0) }), let visitor = reader.part(), let anonymous = reader.part()
    else { return nil }
    self.type = type
    visitorID = visitor
    anonymousID = bits.contains(.anonymous) ? anonymous : nil
    context = bits.contains(.context) ? reader.word().map { UInt(truncatingIfNeeded: $0) } : nil
    members = reader.rest
  }

  /// The item of the batch, without `qt`. With an anonymous id the visitor's own stands in `cuid` (3.5).
  func item(environmentID: String, isQA: Bool) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: members.count + 128)
    writer.verbatim(#"{"t":"#)
    writer.string(type.text.description)
    writer.verbatim(#","cid":"#)
    writer.string(environmentID)
    writer.verbatim(#","ds":"APP","vid":"#)
    writer.string(utf8: (anonymousID ?? visitorID).bindMemory(to: UInt8.self))
    if anonymousID != nil {
      writer.verbatim(#","cuid":"#)
      writer.string(utf8: visitorID.bindMemory(to: UInt8.self))
    }
    if let context {
      _ = FrozenContext.withCopy(members, of: context) { InternalHit.segment($0, to: &writer) }
    } else if !members.isEmpty {
      writer.raw(members)
    }
    if isQA { writer.verbatim(#","qa":true"#) }
    writer.verbatim("}")
    return writer.bytes
  }
}

/// Hits of the SDK's own.
enum InternalHit {
  /// The members of a consent hit.
  static func consent(_ isGiven: Bool, clientName: String) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 80)
    writer.verbatim(#""ec":"User Engagement","ea":"fs_consent","el":"#)
    writer.string("\(clientName):\(isGiven)")
    return writer.bytes
  }

  /// The member of a segment hit: every pair of the context, values as texts (3.5).
  static func segment(_ context: FrozenContext, to writer: inout JSONWriter) {
    writer.key("s")
    writer.beginObject()
    for index in 0..<context.attributeCount {
      let attribute = context.attribute(at: index)
      writer.key(utf8: attribute.pointee.nameBytes.bindMemory(to: UInt8.self))
      if attribute.pointee.kind == .double {
        writer.string(attribute.pointee.number.description)
      } else {
        writer.string(utf8: attribute.pointee.textBytes.bindMemory(to: UInt8.self))
      }
    }
    writer.endObject()
  }
}
