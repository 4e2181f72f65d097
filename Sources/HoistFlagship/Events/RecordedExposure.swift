internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// An exposure as it is recorded: raw copies, encoded when they are drained (`ActivateRow`).
///
///     mark · bits · visitor id · anonymous id, if any · group id · variation id and, where the host observes
///     exposures: address of the context · key · value · fallback · names and ids of the campaign · bytes of the
///     context
struct RecordedExposure {
  private static let mark: UInt8 = 2

  private struct Bits: OptionSet {
    let rawValue: UInt8
    static let anonymous = Bits(rawValue: 1)
    static let notice = Bits(rawValue: 2)
    static let reference = Bits(rawValue: 4)
    static let context = Bits(rawValue: 8)
  }

  /// Lends the record's first part, the visitor's id in it, and its tail.
  /// - Parameter isTold: whether the host is notified when it has arrived.
  @inline(__always)
  static func with<Result>(
    _ exposure: Exposure, isTold: Bool, _ body: (_ head: ByteView, _ visitorID: ByteView, _ tail: ByteView) -> Result
  ) -> Result {
    let metadata = exposure.metadata
    var bits: Bits = exposure.anonymousID == nil ? [] : .anonymous
    if isTold { bits.formUnion(.notice) }
    if metadata.isReference { bits.formUnion(.reference) }
    if exposure.context != nil { bits.formUnion(.context) }
    let fallback = exposure.fallback.recordedText
    var size = 2 + PartWriter.bytes(ofShort: exposure.visitorID.count)
    if let anonymousID = exposure.anonymousID { size += PartWriter.bytes(ofShort: anonymousID.count) }
    size += PartWriter.bytes(ofShort: metadata.variationGroupID.count) + PartWriter.bytes(ofShort: metadata.variationID.count)
    if isTold {
      size +=
        8 + 9 + 9 * 4 + exposure.key.count + exposure.value.count + fallback.count + metadata.campaignID.count
        + metadata.campaignName.count + metadata.variationGroupName.count + metadata.variationName.count
        + metadata.campaignType.count + metadata.slug.count
    }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { room in
      guard let start = room.baseAddress else { return body(.noBytes, .noBytes, .noBytes) }
      var writer = PartWriter(start)
      writer.byte(mark)
      writer.byte(bits.rawValue)
      writer.shortPart(exposure.visitorID)
      let visitorID = ByteView(start: writer.end - exposure.visitorID.count, count: exposure.visitorID.count)
      if let anonymousID = exposure.anonymousID { writer.shortPart(anonymousID) }
      writer.shortPart(metadata.variationGroupID)
      writer.shortPart(metadata.variationID)
      guard isTold else { return body(ByteView(room), visitorID, .noBytes) }
      writer.word(UInt64(UInt(bitPattern: exposure.context?.base)))
      writer.part(exposure.key)
      writer.part(exposure.value)
      writer.value(exposure.fallback, fallback)
      writer.part(metadata.campaignID)
      writer.part(metadata.campaignName)
      writer.part(metadata.variationGroupName)
      writer.part(metadata.variationName)
      writer.part(metadata.campaignType)
      writer.part(metadata.slug)
      return body(ByteView(room), visitorID, exposure.context?.bytes ?? .noBytes)
    }
  }

  /// Encodes a record.
  /// - Returns: nil for a record that is encoded already, or no exposure.
  static func row(_ recorded: ByteView, isQA: Bool) -> ActivateRow? {
    var reader = PartReader(recorded)
    guard reader.byte() == mark, let bits = reader.byte().map({ Bits(rawValue: $0) }),
      let visitor = reader.shortPart()
    else { return nil }
    let known = bits.contains(.anonymous) ? reader.shortPart() : nil
    guard let group = reader.shortPart(), let variation = reader.shortPart() else { return nil }
    let item = ActivateRow.item(visitorID: visitor, anonymousID: known, groupID: group, variationID: variation, isQA: isQA)
    guard bits.contains(.notice) else { return ActivateRow(item: item, flag: [], visitor: []) }
    guard let address = reader.word(), let key = reader.part(), let value = reader.part(), let fallback = reader.value(),
      let campaignID = reader.part(), let campaignName = reader.part(), let groupName = reader.part(),
      let variationName = reader.part(), let type = reader.part(), let slug = reader.part()
    else { return nil }
    var metadata = FlagMetadata()
    metadata.campaignID = campaignID
    metadata.campaignName = campaignName
    metadata.variationGroupID = group
    metadata.variationGroupName = groupName
    metadata.variationID = variation
    metadata.variationName = variationName
    metadata.isReference = bits.contains(.reference)
    metadata.campaignType = type
    metadata.slug = slug
    func text(_ context: FrozenContext?) -> [UInt8] {
      ExposureText.visitor(visitorID: visitor, anonymousID: known, context: context)
    }
    let visitorText =
      bits.contains(.context)
      ? FrozenContext.withCopy(reader.rest, of: UInt(truncatingIfNeeded: address)) { text($0) } ?? text(nil) : text(nil)
    return ActivateRow(
      item: item, flag: ExposureText.flag(key: key, value: value, fallback: fallback, metadata: metadata),
      visitor: visitorText)
  }
}

extension EvaluationFallback {
  /// What has to be copied of it beside its number.
  fileprivate var recordedText: ByteView { kind == .string || kind == .json ? text : .noBytes }
}

extension PartWriter {
  fileprivate mutating func value(_ value: EvaluationFallback, _ text: ByteView) {
    byte(value.kind.rawValue)
    word(value.kind == .double ? value.number.bitPattern : UInt64(bitPattern: value.integer))
    part(text)
  }
}

extension PartReader {
  fileprivate mutating func value() -> EvaluationFallback? {
    guard let kind = byte().flatMap({ ValueKind(rawValue: $0) }), let bits = word(), let text = part() else { return nil }
    switch kind {
    case .none: return EvaluationFallback()
    case .bool: return EvaluationFallback(bits != 0)
    case .int: return EvaluationFallback(Int64(bitPattern: bits))
    case .double: return EvaluationFallback(Double(bitPattern: bits))
    case .string, .json: return EvaluationFallback(kind, text)
    }
  }
}
