internal import HoistBase
internal import HoistCore

/// An impression as it is recorded: the places of its parts in the datafile's snapshot, followed by the bytes of the
/// context. Never stored: it is encoded when it is drained, while the snapshot is alive (`ServedSnapshots`).
struct QueuedImpression: BitwiseCopyable {
  /// Where a stored event has its version; least significant byte first, and another one than any of those.
  static let mark: UInt64 = 0xFF
  /// The context of a record. A larger one, of which little may be sent, is written out at once.
  static let maximumContextBytes = 4096

  private let mark: UInt64
  let snapshot: UInt64
  let unixMilliseconds: Int64
  private let rule: UnsafePointer<RuleRecord>?
  private let variation: UnsafePointer<VariationRecord>?
  private let flagKey: ByteView
  private let ruleType: ByteView
  private let enabled: Bool
  /// Where the context stood; 0 for none.
  let contextAddress: UInt

  init(_ impression: Impression, snapshot: Snapshot, context: FrozenContext?, unixMilliseconds: Int64) {
    mark = Self.mark.littleEndian
    self.snapshot = snapshot.head.pointee.id
    self.unixMilliseconds = unixMilliseconds
    rule = impression.rule
    variation = impression.variation
    flagKey = impression.flagKey
    ruleType = impression.ruleType
    enabled = impression.enabled
    contextAddress = UInt(bitPattern: context?.base)
  }

  /// - Returns: nil for anything else that is recorded.
  init?(_ recorded: ByteView) {
    let size = MemoryLayout<QueuedImpression>.size
    guard recorded.count >= size, recorded.loadUnaligned(as: UInt64.self) == Self.mark.littleEndian else { return nil }
    self = recorded.loadUnaligned(as: QueuedImpression.self)
  }

  var impression: Impression {
    Impression(rule: rule, variation: variation, flagKey: flagKey, ruleType: ruleType, enabled: enabled)
  }

  /// Lends the context that follows the record.
  func withContext<Result>(in recorded: ByteView, _ body: (FrozenContext?) -> Result) -> Result? {
    if contextAddress == 0 { return body(nil) }
    let bytes = recorded.view(from: MemoryLayout<QueuedImpression>.size, to: recorded.count)
    return FrozenContext.withCopy(bytes, of: contextAddress) { body($0) }
  }
}
