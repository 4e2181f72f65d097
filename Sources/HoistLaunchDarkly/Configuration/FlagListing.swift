internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags as JSON, and the metadata of one.
enum FlagListing {
  /// Every flag with its value as it is stored, null included (LD-25, 4.2.3).
  static func values(of snapshot: Snapshot) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: snapshot.flagCount &* 64)
    writer.beginObject()
    for index in 0..<snapshot.flagCount {
      let record = snapshot.record(at: index)
      writer.key(snapshot.name(of: record))
      writer.raw(snapshot.flag(record).pointee.value.json.bytes(snapshot.base))
    }
    writer.endObject()
    return writer.bytes
  }

  /// What the store keeps (5.10): fields with default values are left out.
  static func cacheDocument(of snapshot: Snapshot, tombstones: [[UInt8]: Int64]) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: snapshot.flagCount &* 160)
    writer.beginObject()
    writer.beginObject("flags")
    for index in 0..<snapshot.flagCount {
      let record = snapshot.record(at: index)
      writer.key(snapshot.name(of: record))
      writer.object { writer in
        writer.object("item") { writer in write(snapshot.flag(record), snapshot, to: &writer) }
      }
    }
    for (key, version) in tombstones.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      key.withUnsafeBufferPointer { writer.key(utf8: $0) }
      writer.object { writer in
        writer.member("tombstone", version)
      }
    }
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  private static func write(_ flag: UnsafePointer<LaunchDarklyFlagRecord>, _ snapshot: Snapshot, to writer: inout JSONWriter) {
    let record = flag.pointee
    if !record.value.isNull {
      writer.member("value", raw: record.value.json.bytes(snapshot.base))
    }
    writeNumbers(record, to: &writer)
    if record.traits.contains(.tracked) {
      writer.member("trackEvents", true)
    }
    if record.traits.contains(.tracksReason) {
      writer.member("trackReason", true)
    }
    if record.debuggedUntil > 0 {
      writer.member("debugEventsUntilDate", record.debuggedUntil)
    }
    if let reason = snapshot.reason(of: flag) {
      writer.member("reason", raw: reason)
    }
    writePrerequisites(flag, snapshot, to: &writer)
  }

  private static func writeNumbers(_ record: LaunchDarklyFlagRecord, to writer: inout JSONWriter) {
    if record.traits.contains(.hasVariation) {
      writer.member("variation", record.variation)
    }
    if record.traits.contains(.hasVersion) {
      writer.member("version", record.version)
    }
    if record.traits.contains(.hasFlagVersion) {
      writer.member("flagVersion", record.flagVersion)
    }
  }

  private static func writePrerequisites(
    _ flag: UnsafePointer<LaunchDarklyFlagRecord>, _ snapshot: Snapshot, to writer: inout JSONWriter
  ) {
    guard flag.pointee.prerequisiteCount > 0 else { return }
    writer.array("prerequisites") { writer in
      for key in snapshot.prerequisites(of: flag) { writer.string(key) }
    }
  }

  /// Of an evaluation (LD-63): variation and reason are those of the detail, so absent for a value of another type.
  static func metadata(_ evaluation: borrowing Evaluation, _ snapshot: Snapshot, _ record: UnsafeRawPointer) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 128)
    writer.beginObject()
    write(evaluation, snapshot, record, to: &writer)
    writer.endObject()
    return writer.bytes
  }

  private static func write(
    _ evaluation: borrowing Evaluation, _ snapshot: Snapshot, _ record: UnsafeRawPointer, to writer: inout JSONWriter
  ) {
    if evaluation.errorCode == .invalidContext { return }
    let flag = snapshot.flag(record)
    if evaluation.errorCode == .none {
      if flag.pointee.traits.contains(.hasVariation) {
        writer.member("variationIndex", flag.pointee.variation)
      }
      if let reason = snapshot.reason(of: flag) {
        writer.member("reason", raw: reason)
      }
    }
    if flag.pointee.traits.contains(.hasVersion) {
      writer.member("version", flag.pointee.version)
    }
    if flag.pointee.traits.contains(.hasFlagVersion) {
      writer.member("flagVersion", flag.pointee.flagVersion)
    }
    if snapshot.flagsRoot?.pointee.isFromCache == true {
      writer.member("fromCache", true)
    }
  }

  /// The explanation of an evaluation: short, as the service has evaluated.
  static func explanation(_ evaluation: borrowing Evaluation, _ snapshot: Snapshot, _ record: UnsafeRawPointer) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("evaluatedBy", "service")
    writer.member("answer", answer(evaluation, snapshot.flag(record)))
    if evaluation.errorCode != .invalidContext {
      writer.member("value", raw: snapshot.flag(record).pointee.value.json.bytes(snapshot.base))
      writePrerequisites(snapshot.flag(record), snapshot, to: &writer)
      write(evaluation, snapshot, record, to: &writer)
    }
    writer.endObject()
    return writer.bytes
  }

  private static func answer(_ evaluation: borrowing Evaluation, _ flag: UnsafePointer<LaunchDarklyFlagRecord>) -> String {
    switch evaluation.errorCode {
    case .none: flag.pointee.value.isNull ? "the fallback: the value is null" : "the value"
    case .invalidContext: "the fallback: the flags are those of another context"
    default: "the fallback: the value is of another type than was asked for"
    }
  }
}
