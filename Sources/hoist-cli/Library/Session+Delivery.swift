import CHoist

/// Sending what is recorded.
extension Session {
  /// Longest wait in one go, so that progress can be shown meanwhile.
  private static let stepMilliseconds: Int64 = 900

  /// - Throws: a problem when the service has not accepted everything in time.
  func deliver(untilMilliseconds deadline: Int64, event: String) throws {
    log.clear()
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
    let why =
      (status == HOIST_ERR_TIMEOUT ? log.reason : reason())
      ?? (status == HOIST_ERR_TIMEOUT ? "no answer in time" : "the service did not accept it")
    let outcome = status == HOIST_ERR_REJECTED ? "refused for good" : "not delivered"
    throw Problem(.network, "\(place): event \"\(event)\" is \(outcome): \(why)")
  }

  /// Events the client still holds.
  private var waitingEvents: Double { statistics["events"]?["waiting"]?.number ?? 0 }
}
