public import CShims
internal import HoistBase

extension Client {
  /// - Parameter subject: whose event it is; nil for the client's own context.
  public func track(_ event: EventView, of subject: UnsafeMutablePointer<shim_subject>?) -> Status {
    track { provider in provider.track(event, of: EventSubject(hot, subject)) }
  }

  public func track(_ event: TrackedEvent) -> Status {
    track { provider in provider.track(event) }
  }

  /// Records in words of the provider's own; refused after close.
  /// - Parameter record: does it, with the provider; any thread.
  @inline(__always)
  public func track(_ record: (any Provider) -> Status) -> Status {
    guard !status.isClosed, let port else { return .state }
    resumeAfterFork()
    let result = port._withUnsafeGuaranteedRef { record($0.provider) }
    // A client that closed meanwhile may have had no time to keep it: nobody is told that it is recorded.
    return result == .ok && status.isClosed ? .state : result
  }
}
