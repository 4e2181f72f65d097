internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// An encoded item; only its time in the queue is still unknown (3.5).
enum QueuedItem {
  /// What `qt` takes at most, with the comma between two items.
  static let growth = 26

  /// Appends the item with the milliseconds since its creation.
  /// - Parameter item: a JSON object.
  static func append(_ item: some Collection<UInt8>, createdUnixMilliseconds created: Int64, now: Int64, to body: inout [UInt8]) {
    let queued = now.subtractingReportingOverflow(created)
    body += item.dropLast()
    body += #","qt":\#(queued.overflow ? 0 : max(0, queued.partialValue))}"#.utf8
  }

  /// Whether a row, which may come from a shared store, is a JSON object with members and ends with its brace.
  static func isSound(_ item: some ByteSource) throws(JSONFailure) -> Bool {
    guard item.withBytes({ $0.last == UInt8(ascii: "}") && $0.first == UInt8(ascii: "{") }) else { return false }
    return try JSONNode.judge(item) { $0.object?.isEmpty == false }
  }
}
