internal import HoistBase
internal import HoistCore

/// The datafile as a configuration: saved, given, downloaded, polled (protocols/optimizely.md 3.1, 5.2 to 5.4). On the
/// scheduler's thread.
final class DatafileFormat: ConfigurationFormat, @unchecked Sendable {
  private static let firstPauseMilliseconds: Int64 = 200

  private let host: any ProviderHost
  private let settings: OptimizelySettings
  private let records: UserRecords
  weak var provider: OptimizelyProvider?
  /// Of the properties, or of a start.
  var given: GivenDocument
  /// Of the last start with a datafile, or of the properties.
  var updatesAtOnce: Bool
  /// Further requests that the fetch in flight may make, while there is no datafile at all.
  var retries = 0

  init(host: any ProviderHost, settings: OptimizelySettings, records: UserRecords) {
    self.host = host
    self.settings = settings
    self.records = records
    given = settings.given
    updatesAtOnce = settings.updatesOnNewDatafile
  }

  /// Names the address, so that the host can find the error.
  var name: String {
    isFetchable
      ? "the datafile at \(settings.shownDatafileURL)"
      : "the datafile (property \"sdk_key\" is not set)"
  }
  var isFetchable: Bool { settings.datafileURL != nil }
  var failureStatus: Status { .optimizelyDatafileDownloadFailed }

  func failureStatus(of answer: FetchAnswer) -> Status {
    switch answer.result {
    case .failure: .optimizelyDatafileDownloadFailed
    case .success(let response): Self.isRefusal(response.status) ? .optimizelyDatafileRefused : .optimizelyDatafileLoadingFailed
    }
  }

  func shown(_ message: String) -> String { settings.withoutKey(message) }

  func compile(_ document: [UInt8]) throws(FetchFailure) -> CompiledDatafile {
    do throws(OptimizelyDatafileFailure) {
      return try CompiledDatafile(document, log: host.log, for: records)
    } catch {
      throw FetchFailure(error)
    }
  }

  func discard(_ datafile: CompiledDatafile) { datafile.snapshot.destroy() }

  /// Revisions are names: an earlier one is another one, too (5.4).
  func isServed(_ datafile: CompiledDatafile) -> Bool { provider?.served.withLock { $0?.revision } == datafile.revision }

  var servesArrivals: Bool { updatesAtOnce || settings.pollingSeconds > 0 }

  func serve(_ datafile: CompiledDatafile, from origin: ConfigurationOrigin) {
    let isSame = provider?.served.withLock { $0?.bytes == datafile.bytes } ?? true
    if isSame { return datafile.snapshot.destroy() }
    provider?.serve(datafile, from: origin == .given ? .given : origin == .stored ? .saved : .network)
  }

  func request() -> HTTPRequest {
    var request = HTTPRequest(method: "GET", url: settings.datafileURL?.text ?? "")
    request.shownURL = settings.shownDatafileURL
    if !settings.accessToken.isEmpty {
      request.headers.append(HTTPHeader("Authorization", "Bearer \(settings.accessToken.reveal())"))
    }
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.downloadTimeoutMilliseconds
    request.maximumResponseBytes = settings.maximumResponseBytes
    return request
  }

  /// The table of 3.1; what may pass is tried again within the fetch while there is nothing else, unless the service asks
  /// for a longer pause: that is the loop's to keep.
  func meaning(of answer: FetchAnswer) -> AnswerMeaning {
    var mayPass = true
    let pause = Self.firstPauseMilliseconds << Int64(answer.attempt)
    if case .success(let response) = answer.result {
      switch response.status {
      case 200: return .taken
      case 304: return .kept
      case let status where Self.isRefusal(status): return .refused
      case let status:
        mayPass = (status >= 500 || status == 408 || status == 429) && response.retryAfterMilliseconds(host.clock) ?? 0 <= pause
      }
    }
    guard mayPass, answer.attempt < retries, provider?.datafiles.source.hasDocument == false else { return .failed }
    return .again(afterMilliseconds: pause)
  }

  func ended(_ outcome: FetchOutcome, _ answer: FetchAnswer?) { retries = 0 }

  private static func isRefusal(_ status: Int) -> Bool { [401, 403, 404].contains(status) }
}

extension FetchFailure {
  init(_ failure: OptimizelyDatafileFailure) {
    switch failure {
    case .invalid: self.init(.optimizelyDatafileInvalid, failure.message)
    case .versionInvalid: self.init(.optimizelyDatafileVersionInvalid, failure.message)
    }
  }
}
