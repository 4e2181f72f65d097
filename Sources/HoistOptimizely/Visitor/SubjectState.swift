internal import HoistBase

/// What is known of a visitor beside the context, as evaluators read it: plain, immutable memory.
struct SubjectState: BitwiseCopyable {
  /// flag key, rule key or none → variation key
  var forcedDecisions = SubjectTable()
  /// experiment id → variation id
  var forcedVariations = SubjectTable()
  /// experiment id → variation id
  var assignments = SubjectTable()
  /// experiment id, its request's UUID → variation id; without one, the request failed
  var predictions = SubjectTable()
  /// Names of segments the visitor is in.
  var segments = SubjectTable()
}

struct SubjectTable: BitwiseCopyable {
  var entries: UnsafePointer<SubjectEntry>?
  var count = 0

  /// The value of a key, byte for byte; nil when there is none.
  @inline(__always)
  func find(_ first: ByteView, hash: UInt64) -> UnsafePointer<SubjectEntry>? {
    guard let entries else { return nil }
    var index = 0
    while index < count {
      if entries[index].hash == hash, entries[index].first.hasSameBytes(as: first) { return entries + index }
      index &+= 1
    }
    return nil
  }

  /// The value of a key and a second one, or of the key without a second one.
  @inline(__always)
  func find(_ first: ByteView, hash: UInt64, and second: ByteView?) -> UnsafePointer<SubjectEntry>? {
    guard let entries else { return nil }
    var index = 0
    while index < count {
      let entry = entries + index
      if entry.pointee.hash == hash, entry.pointee.hasSecond == (second != nil),
        entry.pointee.first.hasSameBytes(as: first), entry.pointee.second.hasSameBytes(as: second ?? .noBytes)
      {
        return entry
      }
      index &+= 1
    }
    return nil
  }
}

struct SubjectEntry: BitwiseCopyable {
  /// Of `first`.
  var hash: UInt64
  var first: ByteView
  var second: ByteView
  var value: ByteView
  var hasSecond: Bool
  var hasValue: Bool
}
