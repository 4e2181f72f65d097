internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What details say in the service's words beyond the value (5.3).
enum ServerMetadata {
  static func json(_ evaluation: borrowing Evaluation, _ snapshot: Snapshot, _ record: UnsafeRawPointer) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 128)
    writer.beginObject()
    if evaluation.variationIndex >= 0 { writer.member("variationIndex", evaluation.variationIndex) }
    if evaluation.errorCode != .general {
      writer.key("reason")
      ServerReason(evaluation.outcome).write(to: &writer, snapshot.base)
    }
    let flag = snapshot.serverFlag(record)
    if !flag.pointee.traits.contains(.unlisted) { writer.member("version", flag.pointee.version) }
    writer.endObject()
    return writer.bytes
  }
}
