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
  /// Where new assignments go that the host keeps; nil in decide calls, which see to that themselves.
  var recalled: Unmanaged<RecalledUser>?
}

/// Rows in the order of their hashes.
struct SubjectTable: BitwiseCopyable {
  var entries: UnsafePointer<SubjectEntry>?
  var count = 0

  /// The value of a key, byte for byte; nil when there is none.
  @inline(__always)
  func find(_ first: ByteView, hash: UInt64) -> UnsafePointer<SubjectEntry>? {
    find(hash) { $0.pointee.first.hasSameBytes(as: first) }
  }

  /// The value of a key and a second one, or of the key without a second one.
  @inline(__always)
  func find(_ first: ByteView, hash: UInt64, and second: ByteView?) -> UnsafePointer<SubjectEntry>? {
    find(hash) { entry in
      entry.pointee.hasSecond == (second != nil) && entry.pointee.first.hasSameBytes(as: first)
        && entry.pointee.second.hasSameBytes(as: second ?? .noBytes)
    }
  }

  /// A profile may hold thousands of rows, and each flag of a call searches one of them.
  @inline(__always)
  private func find(_ hash: UInt64, _ isWanted: (UnsafePointer<SubjectEntry>) -> Bool) -> UnsafePointer<SubjectEntry>? {
    guard let entries else { return nil }
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) / 2
      if entries[middle].hash < hash { low = middle &+ 1 } else { high = middle }
    }
    while low < count, entries[low].hash == hash {
      if isWanted(entries + low) { return entries + low }
      low &+= 1
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
