internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A conversion as it is recorded: where its event stands in the datafile's snapshot, and behind it the tags as JSON text
/// and the bytes of the context. As short-lived as a `QueuedImpression`.
struct QueuedConversion: BitwiseCopyable {
  /// Where a stored event has its version, as `QueuedImpression.mark`.
  static let mark: UInt64 = 0xFE

  private let mark: UInt64
  let snapshot: UInt64
  let unixMilliseconds: Int64
  let event: UnsafePointer<EventRecord>
  private let tagsCount: Int
  /// Where the context stood; 0 for none.
  private let contextAddress: UInt

  init(
    _ event: UnsafePointer<EventRecord>, tagsCount: Int, snapshot: Snapshot, context: FrozenContext?, unixMilliseconds: Int64
  ) {
    mark = Self.mark.littleEndian
    self.snapshot = snapshot.head.pointee.id
    self.unixMilliseconds = unixMilliseconds
    self.event = event
    self.tagsCount = tagsCount
    contextAddress = UInt(bitPattern: context?.base)
  }

  /// - Returns: nil for anything else that is recorded.
  init?(_ recorded: ByteView) {
    let size = MemoryLayout<QueuedConversion>.size
    guard recorded.count >= size, recorded.loadUnaligned(as: UInt64.self) == Self.mark.littleEndian else { return nil }
    self = recorded.loadUnaligned(as: QueuedConversion.self)
  }

  /// The tags that follow the record; nil when they are no JSON.
  func tags(in recorded: ByteView) -> JSONDocument? {
    try? JSONDocument(parsing: recorded.view(from: MemoryLayout<Self>.size, to: tagsEnd))
  }

  /// Lends the context that follows them.
  func withContext<Result>(in recorded: ByteView, _ body: (FrozenContext?) -> Result) -> Result? {
    if contextAddress == 0 { return body(nil) }
    return FrozenContext.withCopy(recorded.view(from: tagsEnd, to: recorded.count), of: contextAddress) { body($0) }
  }

  private var tagsEnd: Int { MemoryLayout<Self>.size &+ tagsCount }
}
