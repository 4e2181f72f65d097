internal import HoistBase

/// What a fetch asks of services, called off together when the answers are not needed any more. Thread-safe.
final class FetchCall: Sendable {
  private let state = LockedValue<(isOver: Bool, requests: [@Sendable () -> Void])>((false, []))

  /// Nothing more is to be asked for it.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// - Parameter cancel: ends a request; called at once where the call is over, and on any thread.
  func sends(_ cancel: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.requests.append(cancel) }
      return state.isOver
    }
    if isOver { cancel() }
  }

  func cancel() {
    let requests = state.withLock { state in
      defer { state = (true, []) }
      return state.requests
    }
    for cancel in requests { cancel() }
  }
}
