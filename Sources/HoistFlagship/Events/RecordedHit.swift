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

/// A hit as it is recorded: raw copies, encoded when they are drained (`HitItem`).
///
///     mark · type · bits · visitor id · anonymous id, if any · the hit's fields (`HitFields`)
///     or, of a segment hit: … · address of the context · bytes of the context
///     or, of one with a large context: … · members that are JSON text
struct RecordedHit {
  /// What is written out begins with a brace.
  private static let mark: UInt8 = 1

  private struct Bits: OptionSet {
    let rawValue: UInt8
    static let anonymous = Bits(rawValue: 1)
    static let context = Bits(rawValue: 2)
    static let text = Bits(rawValue: 4)
  }

  /// The part after the head.
  enum Tail {
    case fields
    case context(FrozenContext)
    /// Members without braces.
    case text
  }

  let type: HitType
  let visitorID: ByteView
  let anonymousID: ByteView?
  /// The original address of the context whose bytes are in `tail`.
  private let context: UInt?
  private let isText: Bool
  private let tail: ByteView

  /// Lends all of the record but its tail, and the visitor's id in it.
  @inline(__always)
  static func withHead<Result>(
    _ type: HitType, of identity: borrowing VisitorIdentity, _ tail: Tail,
    _ body: (_ head: ByteView, _ visitorID: ByteView) -> Result
  ) -> Result {
    identity.withIDs { visitorID, anonymousID in
      var size = 3 + PartWriter.bytes(ofShort: visitorID.count)
      var bits: Bits = []
      var address: UInt64?
      if let anonymousID {
        bits.formUnion(.anonymous)
        size += PartWriter.bytes(ofShort: anonymousID.count)
      }
      switch tail {
      case .fields: break
      case .context(let context):
        bits.formUnion(.context)
        address = UInt64(UInt(bitPattern: context.base))
        size += 8
      case .text: bits.formUnion(.text)
      }
      return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { room in
        guard let start = room.baseAddress else { return body(.noBytes, .noBytes) }
        var writer = PartWriter(start)
        writer.byte(mark)
        writer.byte(type.rawValue)
        writer.byte(bits.rawValue)
        writer.shortPart(visitorID)
        let written = ByteView(start: writer.end - visitorID.count, count: visitorID.count)
        if let anonymousID { writer.shortPart(anonymousID) }
        if let address { writer.word(address) }
        return body(ByteView(room), written)
      }
    }
  }

  /// - Returns: nil for a record that is encoded already.
  init?(_ recorded: ByteView) {
    var reader = PartReader(recorded)
    guard reader.byte() == Self.mark, let type = reader.byte().flatMap({ HitType(rawValue: $0) }),
      let bits = reader.byte().map({ Bits(rawValue: $0) }), let visitor = reader.shortPart()
    else { return nil }
    self.type = type
    visitorID = visitor
    anonymousID = bits.contains(.anonymous) ? reader.shortPart() : nil
    context = bits.contains(.context) ? reader.word().map { UInt(truncatingIfNeeded: $0) } : nil
    isText = bits.contains(.text)
    tail = reader.rest
  }

  /// The item of the batch, without `qt`. With an anonymous id the visitor's own is in `cuid` (3.5).
  func item(environmentID: String, isQA: Bool) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: tail.count + 192)
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
      _ = FrozenContext.withCopy(tail, of: context) { InternalHit.segment($0, to: &writer) }
    } else if !isText {
      HitValue.write(tail, to: &writer)
    } else if !tail.isEmpty {
      writer.raw(tail)
    }
    if isQA { writer.verbatim(#","qa":true"#) }
    writer.verbatim("}")
    return writer.bytes
  }
}

/// Hits of the SDK's own.
enum InternalHit {
  static func consent(_ isGiven: Bool, clientName: String) -> Hit {
    var hit = Hit.event(.userEngagement, action: "fs_consent")
    try? hit.set(.label, text: "\(clientName):\(isGiven)")
    return hit
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
