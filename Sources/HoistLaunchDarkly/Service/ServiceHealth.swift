internal import HoistCore

/// What the client's state says of its flags: whether there are any of this context, and whether they are fresh. On the
/// scheduler's thread.
final class ServiceHealth: @unchecked Sendable {
  private let host: any ProviderHost
  private var hasFlags = false

  init(host: any ProviderHost) { self.host = host }

  /// Flags of an earlier run are served, before the service has answered (LD-76).
  func servesCached() {
    hasFlags = true
    host.setState(.stale, "flags of an earlier run")
  }

  /// Another context is the current one.
  /// - Parameters:
  ///   - hasFlags: of an earlier run, or what is still served.
  ///   - isOnline: whether the service is going to be asked.
  func contextChanged(hasFlags: Bool, isOnline: Bool) {
    self.hasFlags = hasFlags
    host.setState(isOnline ? .reconciling : .stale, "the context has changed")
  }

  func isFresh(_ reason: String) {
    hasFlags = true
    host.setState(.ready, reason)
  }

  /// It is tried again.
  func failed(_ problem: String) {
    host.setState(hasFlags ? .stale : .error, problem)
    host.notify(Notification(.fetchFailed, status: .network, message: "fetching flags failed: \(problem)"))
  }

  /// It is not tried again before somebody goes online anew.
  func hasEnded(_ problem: String, _ status: Status) {
    host.setState(hasFlags ? .stale : .fatal, problem)
    for topic in [Topic.fetchFailed, .error] { host.notify(Notification(topic, status: status, message: problem)) }
  }

  func isOffline() {
    if hasFlags { host.setState(.stale, "offline") }
  }
}
