internal import HoistBase
internal import HoistCore

/// What a download brought.
enum DownloadOutcome: @unchecked Sendable {
  /// A datafile that can be served; its snapshot is the receiver's.
  case arrived(CompiledDatafile, lastModified: String?)
  /// The service says that what was saved when it was asked holds.
  case unchanged(StoredDocument)
  case failed(DatafileFailure)
}

/// One request for the datafile, with further attempts if need be (protocols/optimizely.md 3.1). On the scheduler's
/// thread.
final class DatafileDownload: @unchecked Sendable {
  private static let firstPauseMilliseconds: Int64 = 200

  private let host: any ProviderHost
  private let settings: OptimizelySettings
  private let url: URLText
  private let saved: StoredDocument?
  private var retriesLeft: Int
  private var pauseMilliseconds = firstPauseMilliseconds
  private var completion: ((DownloadOutcome) -> Void)?
  private var exchange: (any Cancellable)?

  /// - Parameter saved: the datafile that is saved; without one, or without its date, any is asked for.
  init(
    host: any ProviderHost, settings: OptimizelySettings, url: URLText, saved: StoredDocument?, retries: Int,
    completion: @escaping (DownloadOutcome) -> Void
  ) {
    self.host = host
    self.settings = settings
    self.url = url
    self.saved = saved
    retriesLeft = retries
    self.completion = completion
  }

  func begin() {
    let generation = host.scheduler.generation
    host.dynamicHeaders(for: settings.shownDatafileURL) { [weak self] dynamic in
      guard let self, completion != nil, host.scheduler.generation == generation else { return }
      exchange = host.transport.send(request(dynamic)) { [weak self] answer in
        guard let self, completion != nil, host.scheduler.generation == generation else { return }
        exchange = nil
        take(answer)
      }
    }
  }

  /// Its completion does not run any more.
  func cancel() {
    completion = nil
    exchange?.cancel()
    exchange = nil
  }

  /// Forgets the exchange without touching it: it belongs to the process this one was forked from.
  func abandon() {
    completion = nil
    exchange = nil
  }

  private func request(_ dynamic: [HTTPHeader]) -> HTTPRequest {
    var request = HTTPRequest(method: "GET", url: url.text)
    if let lastModified = saved?.lastModified { request.headers.append(HTTPHeader("If-Modified-Since", lastModified)) }
    if !settings.accessToken.isEmpty {
      request.headers.append(HTTPHeader("Authorization", "Bearer \(settings.accessToken.reveal())"))
    }
    for header in dynamic { request.headers.set(header.name, header.value) }
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.downloadTimeoutMilliseconds
    request.maximumResponseBytes = settings.maximumResponseBytes
    return request
  }

  private func take(_ answer: Result<HTTPResponse, TransportFailure>) {
    let outcome = outcome(of: answer)
    if case .failed(let failure) = outcome, failure.isPassing, retriesLeft > 0 { return beginLater() }
    let tell = completion
    completion = nil
    tell?(outcome)
  }

  private func beginLater() {
    retriesLeft -= 1
    exchange = host.scheduler.schedule(afterMilliseconds: pauseMilliseconds) { [weak self] in self?.begin() }
    pauseMilliseconds *= 2
  }

  /// The table of 3.1.
  private func outcome(of answer: Result<HTTPResponse, TransportFailure>) -> DownloadOutcome {
    switch answer {
    case .failure(let failure):
      return failed(.optimizelyDatafileDownloadFailed, "no answer: \(settings.withoutKey(failure.message))", isPassing: true)
    case .success(let response) where response.status == 304 && saved?.lastModified != nil:
      return saved.map { .unchanged($0) } ?? failed(.optimizelyDatafileLoadingFailed, "nothing is saved")
    case .success(let response) where response.status == 200:
      do throws(OptimizelyDatafileFailure) {
        return .arrived(try CompiledDatafile(response.body, log: host.log), lastModified: response.lastModified)
      } catch {
        return failed(.optimizelyDatafileLoadingFailed, "the answer is \(error.message)")
      }
    case .success(let response):
      let isRefused = [401, 403, 404].contains(response.status)
      return failed(
        isRefused ? .optimizelyDatafileRefused : .optimizelyDatafileLoadingFailed, "the service answered \(response.status)"
          + (isRefused ? ": the SDK key or the token is wrong" : ""),
        isPassing: response.status >= 500 || response.status == 408 || response.status == 429)
    }
  }

  /// Says of which key and address, so that the host can tell what is wrong.
  private func failed(_ status: Status, _ what: String, isPassing: Bool = false) -> DownloadOutcome {
    .failed(
      DatafileFailure(
        status, "the datafile of SDK key \(settings.shownKey) at \(settings.shownDatafileURL): \(what)", isPassing: isPassing))
  }
}
