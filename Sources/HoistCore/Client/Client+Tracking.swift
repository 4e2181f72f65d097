public import CShims
internal import HoistBase

extension Client {
  /// - Parameter subject: whose event it is; nil for the client's own context.
  public func track(_ event: EventView, of subject: UnsafeMutablePointer<shim_subject>?) -> Status {
    track { provider in
      if subject != nil, refuses({ FrozenContext(of: $0) }, subject, provider) { return .unsupported }
      return provider.track(event, of: EventSubject(hot, subject))
    }
  }

  public func track(_ event: TrackedEvent) -> Status {
    track { provider in
      if refuses({ $0.frozen }, event.context, provider) { return .unsupported }
      return provider.track(event)
    }
  }

  /// Never booked for the wrong person: where the service evaluates there is the current context alone.
  private func refuses<Given>(_ frozen: (Given) -> FrozenContext?, _ given: Given?, _ provider: any Provider) -> Bool {
    guard let given else { return false }
    let slot = shim_enter()
    defer { shim_leave(slot) }
    let current = shim_load_pointer(&hot.pointee.context).map { FrozenContext(UnsafeRawPointer($0)) }
    let snapshot = shim_load_pointer(&hot.pointee.snapshot).map { Snapshot(UnsafeRawPointer($0)) }
    guard let context = frozen(given), context.base != current?.base,
      !provider.accepts(context, current: current, in: snapshot)
    else { return false }
    log.warning("an event is refused: the service knows the client's current context alone: identify with the other one first")
    return true
  }

  /// Records in words of the provider's own; refused after close.
  /// - Parameter record: does it, with the provider; any thread.
  @inline(__always)
  public func track(_ record: (any Provider) -> Status) -> Status {
    guard !life.isClosed, let port else { return .state }
    resumeAfterFork()
    let result = port._withUnsafeGuaranteedRef { record($0.provider) }
    // A client that closed meanwhile may have had no time to keep it: do not report it as recorded.
    return result.isTaken && life.isClosed ? .state : result
  }
}

extension ProviderHost {
  /// Names an event that cannot be recorded, and why.
  /// - Parameter key: nil for none.
  public func refuse(_ key: String?, _ status: Status, _ why: @autoclosure () -> String) -> Status {
    log.error("\(key.map { "event \"\($0)\"" } ?? "an event") is refused: \(why())")
    return status
  }
}
