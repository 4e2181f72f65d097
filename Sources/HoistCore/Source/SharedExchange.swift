internal import HoistBase

/// A request that waits for the store, or is on its way to the service. On the scheduler's thread.
final class SharedExchange: Cancellable, @unchecked Sendable {
  typealias Answer = Result<HTTPResponse, TransportFailure>

  private var request: HTTPRequest
  private let scheduler: any Scheduler
  private var completion: (@Sendable (Answer) -> Void)?
  private var sent: (any Cancellable)?

  init(_ request: HTTPRequest, _ scheduler: any Scheduler, _ completion: @escaping @Sendable (Answer) -> Void) {
    (self.request, self.scheduler, self.completion) = (request, scheduler, completion)
  }

  /// - Parameter isConditional: the answer may be that nothing has changed.
  func send(over network: any Transport, isConditional: Bool) {
    guard completion != nil else { return }
    if !isConditional {
      request.headers.removeAll { header in
        ["If-Modified-Since", "If-None-Match"].contains { ASCII.equalsIgnoringCase(header.name, $0) }
      }
    }
    sent = network.send(request) { [self] in complete($0) }
  }

  func complete(_ answer: Answer) {
    let told = completion
    (completion, sent) = (nil, nil)
    told?(answer)
  }

  func cancel() {
    if let sent { return sent.cancel() }
    let told = completion
    completion = nil
    scheduler.post { told?(.failure(TransportFailure(.cancelled, "cancelled"))) }
  }
}
