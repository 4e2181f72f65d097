import CHoist
import HoistJSON

/// Sending what is recorded.
extension Session {
  /// Longest wait in one go, so that progress can be shown meanwhile.
  private static let stepMilliseconds: Int64 = 900

  /// - Throws: a problem when the service has not accepted everything in time.
  func deliver(untilMilliseconds deadline: Int64, event: String) throws {
    book.clear()
    var progress = Progress("sending to \(place)")
    defer { progress.end() }
    var status = hoist_status(HOIST_ERR_TIMEOUT)
    while status == HOIST_ERR_TIMEOUT {
      let left = deadline - Moment.monotonicMilliseconds
      guard left > 0 else { break }
      status = hoist_client_flush(client, min(left, Self.stepMilliseconds))
      progress.tick()
      dispatch(milliseconds: 0)
    }
    guard status != HOIST_OK || waitingEvents > 0 else { return }
    for _ in 0..<20 where book.reason == nil && status == HOIST_ERR_NETWORK { dispatch(milliseconds: 10) }
    let why = book.reason ?? (status == HOIST_ERR_TIMEOUT ? "no answer in time" : "the service did not accept it")
    let outcome = status == HOIST_ERR_REJECTED ? "refused for good" : "not delivered"
    throw Problem(.network, "\(place): event \"\(event)\" is \(outcome): \(why)")
  }

  /// Events the client still holds.
  private var waitingEvents: Int64 {
    guard let json = LibraryText(hoist_client_statistics(client)), let document = try? JSONDocument(parsing: json) else {
      return 0
    }
    return document.withRoot { $0["events"]?["waiting"]?.int64 } ?? 0
  }
}
