internal import HoistBase
internal import HoistCore

/// What the vendor's own calls need beyond the core's.
extension UnleashProvider {
  /// One field or property of the current context; the fetch waits for further changes of this turn.
  func setContextField(_ name: String, _ value: String?) {
    guard let host else { return }
    var members = host.currentContext.map { FrontendContext.members(of: $0.frozen) } ?? [:]
    members[name] = value
    setHostContext(members)
    guard frontend != nil, !isFetchPending else { return }
    isFetchPending = true
    host.scheduler.post { [weak self] in
      guard let self, let host = self.host else { return }
      self.isFetchPending = false
      let members = host.currentContext.map { FrontendContext.members(of: $0.frozen) } ?? [:]
      self.updateContext(members, [:]) { _ in }
    }
  }

  var lastFailureStatus: Status { failureForReaders.withLock { $0 }?.unleashStatus ?? .ok }

  func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result {
    guard let host else { return body(nil) }
    return host.withSnapshot(body)
  }
}

/// A value that one thread sets and others read.
final class Shared<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var value: Value
  init(_ value: Value) { self.value = value }
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
