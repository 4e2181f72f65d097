import CHoist

/// Waiting for flags.
extension Session {
  /// What is said of the service, without what a URL may carry.
  var place: String {
    let traits = configuration.traits
    if configuration.isOnline { return traits.place(configuration) }
    return configuration.file ?? "the configuration"
  }

  /// Returns when there are flags to serve: the service's own, unless it cannot be had.
  /// - Throws: a problem that says why there are none.
  func waitForFlags(limitMilliseconds: Int64) throws {
    let deadline = Moment.monotonicMilliseconds + limitMilliseconds
    var progress = Progress("waiting for \(place)")
    defer { progress.end() }
    while true {
      dispatch(milliseconds: 10)
      if let status = identification?.status {
        if status == HOIST_OK { return }
        throw failure(.network, String(cString: hoist_status_name(status)))
      }
      if identification == nil, try isServing() { return }
      // Offline, what cannot be read now never will be.
      if !configuration.isOnline, log.hasError { throw failure(.configuration) }
      if Moment.monotonicMilliseconds >= deadline {
        throw configuration.isOnline
          ? Problem(
            .network, "\(place): no flags within \(limitMilliseconds) ms; is the address right? (--timeout SECONDS waits longer)")
          : failure(.configuration)
      }
      progress.tick()
    }
  }

  /// Whether what there is now may be served.
  private func isServing() throws -> Bool {
    switch Int(state) {
    case HOIST_CLIENT_READY: return true
    case HOIST_CLIENT_FATAL, HOIST_CLIENT_ERROR: throw failure(configuration.isOnline ? .network : .configuration)
    case HOIST_CLIENT_STALE where !configuration.isOnline: return true
    case HOIST_CLIENT_STALE where log.reason != nil:
      Output.error("hoist: the flags are old: \(log.reason ?? "")")
      return true
    default: return false
    }
  }

  /// The library's reason, which its log may bring a little later.
  func reason() -> String? {
    if let cause = configuration.traits.switchedOff(client) { return cause }
    for _ in 0..<20 where log.reason == nil { dispatch(milliseconds: 10) }
    return log.reason
  }

  /// - Parameter other: the text when the library has given no reason.
  private func failure(_ kind: Problem.Kind, _ other: String = "no flags") -> Problem {
    Problem(kind, "\(place): \(reason() ?? other)")
  }
}
