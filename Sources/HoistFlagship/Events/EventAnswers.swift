internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What the answers to hits and activates mean.
enum EventAnswers {
  /// Only 2xx is success; a batch that is too large goes in halves; everything else waits for the next batch (3.1, 5.5).
  static func verdict(on answer: Result<HTTPResponse, TransportFailure>) -> EventVerdict {
    guard case .success(let response) = answer else { return .rest(afterMilliseconds: nil) }
    switch response.status {
    case 200...299: return .done
    case 413: return .split
    default: return .rest(afterMilliseconds: nil)
    }
  }
}

/// An item on the wire, of whom only the time in the queue is still unknown (3.5).
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

  /// Whether a row, which may come from anybody's store, is a JSON object with members and ends with its brace.
  static func isSound(_ item: some ByteSource) -> Bool {
    item.withBytes { item in
      guard item.last == UInt8(ascii: "}"), item.first == UInt8(ascii: "{") else { return false }
      return (try? JSONNode.parse(item) { $0.object?.isEmpty == false }) ?? false
    }
  }
}
