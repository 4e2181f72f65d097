import CHoist

/// Waiting for flags.
extension Session {
  /// What is said of the service, without what a URL may carry.
  var place: String {
    let traits = configuration.traits
    if configuration.isOnline { return traits.place(configuration) }
    return traits.fileProperty.flatMap { configuration.value(of: $0) } ?? "the configuration"
  }

  /// Returns when there are flags to serve: the service's own, unless it cannot be had.
  /// - Throws: a problem that says why there are none.
  func waitForFlags(limitMilliseconds: Int64) throws {
    let deadline = Moment.monotonicMilliseconds + limitMilliseconds
    var progress = Progress("waiting for \(place)")
    defer { progress.end() }
    while true {
      dispatch(milliseconds: 10)
      switch Int(state) {
      case HOIST_CLIENT_READY: return
      case HOIST_CLIENT_FATAL, HOIST_CLIENT_ERROR: throw failure(.network)
      case HOIST_CLIENT_STALE where !configuration.isOnline: return
      case HOIST_CLIENT_STALE where book.reason != nil:
        return Output.error("hoist: the flags are old: \(book.reason ?? "")")
      default: break
      }
      // Offline, what cannot be read now never will be.
      if !configuration.isOnline, book.hasError { throw failure(.configuration) }
      if Moment.monotonicMilliseconds >= deadline {
        throw configuration.isOnline
          ? Problem(.network, "\(place): no flags within \(limitMilliseconds) ms; is the address right? (--timeout SECONDS waits longer)")
          : failure(.configuration)
      }
      progress.tick()
    }
  }

  /// With the library's reason, for which it waits a moment: the log has a thread of its own.
  private func failure(_ kind: Problem.Kind) -> Problem {
    for _ in 0..<20 where book.reason == nil { dispatch(milliseconds: 10) }
    return Problem(kind, "\(place): \(book.reason ?? "no flags")")
  }
}
