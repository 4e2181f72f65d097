internal import HoistBase

/// Downloads one document again and again, and on demand: one request at a time, each asking for what is newer than the last
/// (`If-Modified-Since`). On the scheduler's thread.
public final class DocumentPoller: @unchecked Sendable {
  public typealias Answer = Result<HTTPResponse, TransportFailure>

  private let host: any ProviderHost
  private let requests: OutgoingRequests
  private let attempts: Int
  /// The date that comes with the request and `lastModified`.
  private let makeRequest: () -> HTTPRequest
  /// Takes the end of each download.
  private let ended: (Answer) -> Void
  /// Told of each attempt, also of those that another one follows.
  public var attempted: (Answer, _ begunNanoseconds: Int64) -> Void = { _, _ in }
  /// Whether a further attempt follows such an answer, while some are left.
  public var isPassing: (Answer) -> Bool = { _ in false }
  /// The header `Last-Modified` of what there is; nil asks for any.
  public var lastModified: String?

  private var timer: (any Cancellable)?
  /// Moves on with each download, and when one is called off.
  private var download: UInt64 = 0
  public private(set) var isFetching = false

  /// - Parameter attempts: requests of one download at most.
  public init(
    host: any ProviderHost, attempts: Int = 1, request: @escaping () -> HTTPRequest, ended: @escaping (Answer) -> Void
  ) {
    self.host = host
    self.attempts = attempts
    makeRequest = request
    self.ended = ended
    requests = OutgoingRequests(host: host)
  }

  /// Downloads now, unless that is under way.
  public func fetch() {
    timer?.cancel()
    timer = nil
    guard !isFetching else { return }
    isFetching = true
    download &+= 1
    attempt(attempts - 1)
  }

  /// Downloads after a pause, in place of an earlier appointment.
  public func fetch(afterMilliseconds pause: Int64, _ fetch: @escaping @Sendable () -> Void) {
    timer?.cancel()
    timer = host.scheduler.schedule(afterMilliseconds: pause, fetch)
  }

  /// What is under way or appointed counts no more.
  public func stop() {
    timer?.cancel()
    end()
    requests.cancelAll()
  }

  public func abandonAfterFork() {
    end()
    requests.abandonAfterFork()
  }

  private func end() {
    timer = nil
    isFetching = false
    download &+= 1
  }

  private func attempt(_ left: Int) {
    var request = makeRequest()
    if let lastModified { request.headers.append(HTTPHeader("If-Modified-Since", lastModified)) }
    let mine = download
    let begun = host.clock.monotonicNanoseconds
    requests.send(request) { [weak self] answer in
      guard let self, mine == download else { return }
      attempted(answer, begun)
      if left > 0, isPassing(answer), mine == download { return attempt(left - 1) }
      isFetching = false
      ended(answer)
    }
  }
}

extension HTTPResponse {
  /// The header `Last-Modified`, if it can stand in a request's header.
  public var lastModified: String? { headers.value(of: "Last-Modified").flatMap { HeaderText.isSafeValue($0) ? $0 : nil } }
}

/// Tells of failed fetches: each once in a row.
public struct FetchFailures: Sendable {
  private var last: String?

  public init() {}

  /// A fetch was good: the next failure is news.
  public mutating func clear() { last = nil }

  public mutating func tell(_ status: Status, _ message: String, _ host: any ProviderHost) {
    guard message != last else { return }
    last = message
    host.tellOfFailedFetch(status, message)
  }
}

extension ProviderHost {
  /// In the log, and to observers of fetches and errors.
  public func tellOfFailedFetch(_ status: Status, _ message: String) {
    log.warning(message)
    for topic in [Topic.fetchFailed, .error] { notify(Notification(topic, status: status, message: message)) }
  }
}
