internal import HoistBase
internal import HoistCore

/// What a flag's record says yes or no to.
struct FlagTraits: OptionSet, BitwiseCopyable {
  let rawValue: UInt16
  static let hasVariation = FlagTraits(rawValue: 1)
  static let hasVersion = FlagTraits(rawValue: 2)
  static let hasFlagVersion = FlagTraits(rawValue: 4)
  /// Feature events.
  static let tracked = FlagTraits(rawValue: 8)
  static let tracksReason = FlagTraits(rawValue: 16)
  /// Each evaluation is more than a count.
  static let recorded = FlagTraits(rawValue: 32)
  static let enabled = FlagTraits(rawValue: 128)
}

/// One flag as the service has evaluated it (4.1), laid out for reading. Texts and lists are offsets into the block.
struct LaunchDarklyFlagRecord: BitwiseCopyable {
  /// One counter: its evaluations.
  var head: FlagHead
  var traits: FlagTraits = []
  /// The reason in the core's words.
  var coreReason: Reason = .unknown
  var value = ValueRecord()
  var variation: Int64 = 0
  var version: Int64 = 0
  var flagVersion: Int64 = 0
  /// Milliseconds since 1970; 0 for none.
  var debuggedUntil: Int64 = 0
  /// The variation in digits.
  var variationName = TextReference.none
  /// JSON text of the service's reason.
  var reason = TextReference.none
  /// Keys, one `TextReference` after the other.
  var prerequisites: Place<TextReference> = .none
  var prerequisiteCount: UInt32 = 0

  /// What versions are compared by; a missing one counts as 0 (2.2).
  var comparedVersion: Int64 { version }
}

/// What all flags of a snapshot have in common. Behind it lies a word per counter: the last period in which the flag's
/// evaluation was noted. Threads write those words and `period`, nothing else of a snapshot.
struct FlagsRoot: BitwiseCopyable {
  /// Counts the periods of summaries, from 1.
  var period: UInt32 = 1
  var wordCount: UInt32 = 0
  /// Fingerprint of the context they are for; 0 for whichever is the client's current one.
  var context: UInt64 = 0
  /// Fingerprint of the same context as it was spelled last; 0 where there is no other spelling.
  var spelling: UInt64 = 0
  var isFromCache = false

  static let size = UInt32(MemoryLayout<FlagsRoot>.stride)
}

/// Reading what `FlagLayout` has written.
extension Snapshot {
  var flagsRoot: UnsafePointer<FlagsRoot>? {
    head.pointee.rootOffset == 0 ? nil : root()
  }

  /// The context that the flags are for, as events describe it; nil for the current one.
  var owner: EventContext? {
    head.pointee.resources?._withUnsafeGuaranteedRef { $0 as? EventContext }
  }

  func flag(_ record: UnsafeRawPointer) -> UnsafePointer<LaunchDarklyFlagRecord> {
    record.assumingMemoryBound(to: LaunchDarklyFlagRecord.self)
  }

  func find(flag key: some ByteSource) -> UnsafePointer<LaunchDarklyFlagRecord>? {
    key.withBytes { find($0) }.map { flag($0) }
  }

  func prerequisites(of flag: UnsafePointer<LaunchDarklyFlagRecord>) -> [ByteView] {
    let list = base.at(flag.pointee.prerequisites)
    return (0..<Int(flag.pointee.prerequisiteCount)).map { list[$0].bytes(base) }
  }

  /// The reason's JSON text; nil when the service gave none.
  func reason(of flag: UnsafePointer<LaunchDarklyFlagRecord>) -> ByteView? {
    flag.pointee.reason.isNone ? nil : flag.pointee.reason.bytes(base)
  }

  /// Where it is written when the flag was last noted; nil for a flag that has no such place.
  @inline(__always)
  func periodWord(
    of flag: UnsafePointer<LaunchDarklyFlagRecord>, _ root: UnsafePointer<FlagsRoot>
  ) -> UnsafeMutablePointer<UInt32>? {
    guard flag.pointee.head.firstCell < root.pointee.wordCount else { return nil }
    return UnsafeMutablePointer(mutating: UnsafeRawPointer(root + 1).assumingMemoryBound(to: UInt32.self))
      + Int(flag.pointee.head.firstCell)
  }
}
