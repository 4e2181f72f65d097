public import HoistBase
public import HoistCore
internal import HoistJSON

/// What can be asked of a snapshot beside evaluations; either mode.
public enum UnleashFlags {
  /// What a counter of a flag counts.
  public enum Counter {
    case yes
    case no
    /// Reads of the variant of that name; valid as long as the snapshot.
    case variant(ByteView)
  }

  /// - Parameter cell: index among the flag's counters, as `Snapshot.drain` hands it out.
  public static func counter(_ cell: UInt32, of record: UnsafeRawPointer, in snapshot: Snapshot) -> Counter {
    if cell == 0 { return .yes }
    if cell == 1 { return .no }
    let base = snapshot.base
    let flag = record.assumingMemoryBound(to: UnleashFlagRecord.self)
    let variants = base.at(flag.pointee.variants)
    for index in 0..<Int(flag.pointee.variantCount) where variants[index].cell == cell {
      return .variant(variants[index].name.bytes(base))
    }
    let root: UnsafePointer<SnapshotRoot> = snapshot.root()
    return .variant(root.pointee.disabledName.bytes(base))
  }

  /// The flag's switch; frontend mode: its value.
  public static func isSwitchedOn(_ record: UnsafeRawPointer) -> Bool {
    record.assumingMemoryBound(to: UnleashFlagRecord.self).pointee.traits.contains(.enabled)
  }

  /// What the service says of a flag beyond its value, as a JSON object.
  public static func metadata(snapshot: Snapshot, record: UnsafeRawPointer) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in writeMembers(of: record, in: snapshot, to: &writer) }
    return writer.bytes
  }

  /// All flags as a JSON array of `{"name","enabled","impressionData"…}`, in the order of their names (`UNL-105`).
  public static func list(_ snapshot: Snapshot) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for index in 0..<snapshot.flagCount {
      let record = snapshot.record(at: index)
      writer.beginObject()
      writer.member("name", snapshot.name(of: record))
      writer.member("enabled", isSwitchedOn(record))
      writeMembers(of: record, in: snapshot, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    return writer.bytes
  }

  private static func writeMembers(
    of record: UnsafeRawPointer, in snapshot: Snapshot, to writer: inout JSONWriter
  ) {
    let flag = record.assumingMemoryBound(to: UnleashFlagRecord.self)
    writer.member("impressionData", flag.pointee.traits.contains(.impression))
    guard !flag.pointee.details.isNone else { return }
    writer.member("stale", flag.pointee.traits.contains(.stale))
    let details = snapshot.base.at(flag.pointee.details)
    for (name, text) in [
      ("type", details.pointee.type), ("project", details.pointee.project),
      ("description", details.pointee.description), ("warning", details.pointee.warning),
    ] where !text.isNone {
      writer.member(name, text.bytes(snapshot.base))
    }
  }

  /// Names of the flags that are new, gone or defined differently (their segments and parents included).
  public static func changedKeys(old: Snapshot?, new: Snapshot) -> [String] {
    new.changedNames(since: old) { $0.assumingMemoryBound(to: UnleashFlagRecord.self).pointee.fingerprint }
  }
}
