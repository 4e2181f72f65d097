internal import HoistBase

/// Where a configuration came from.
public enum ConfigurationOrigin: Sendable, Equatable {
  case stored, given, service
}

/// What is a service's own of its configuration documents. On the scheduler's thread.
public protocol ConfigurationFormat: AnyObject, Sendable {
  /// A document that can be served; it is given to `serve` or to `discard`, once.
  associatedtype Configuration: Sendable
  /// What messages call the document, with the environment it is of.
  var name: String { get }
  /// For failures that have no status of their own.
  var failureStatus: Status { get }
  /// Of an answer that is no configuration.
  func failureStatus(of answer: FetchAnswer) -> Status
  /// A transport's message as it may be shown: an address may have a key in it.
  func shown(_ message: String) -> String
  /// The host's own document, for a client without a stored one.
  var given: GivenDocument { get }
  /// Whether there is a service to fetch from.
  var isFetchable: Bool { get }
  /// An empty or incomplete document is refused here, so that it never replaces a good one. On any thread.
  func compile(_ document: [UInt8]) throws(FetchFailure) -> Configuration
  /// On any thread.
  func discard(_ configuration: Configuration)
  /// Where there is a stored and a given document: which one is served.
  func prefers(_ given: Configuration, over stored: Configuration) -> Bool
  func serve(_ configuration: Configuration, from origin: ConfigurationOrigin)
  /// Whether what the service sends is the configuration that is served: then it is not served anew.
  func isServed(_ configuration: Configuration) -> Bool
  /// Whether a fetched document is served at once; else it is stored for the next start, unless a start or a refresh
  /// waits for it, or nothing is served.
  var servesArrivals: Bool { get }
  /// The next request; the source adds what makes it conditional.
  func request() -> HTTPRequest
  func meaning(of answer: FetchAnswer) -> AnswerMeaning
  /// Told when the source has read what there is before the first fetch.
  func begins(isServed: Bool)
  /// Told when nothing can be fetched for now.
  func isOffline()
  /// Told of each answer before it is read.
  func answered(_ answer: FetchAnswer)
  /// Told how a fetch has ended, after what it brought is served.
  /// - Parameter answer: the last one; nil where there was none.
  func ended(_ outcome: FetchOutcome, _ answer: FetchAnswer?)
  /// What is reported of flags that are served now: nil for what the source says by itself.
  func report(of outcome: FetchOutcome) -> LifeReport?
  /// Where one process fetches for all: whether it is this one. Only that one may stream.
  func leads(_ isLeading: Bool)
  /// Whether the next attempt follows a failure soon, although flags are served.
  var isUrgent: Bool { get }
}

extension ConfigurationFormat {
  public var failureStatus: Status { .network }
  public func failureStatus(of answer: FetchAnswer) -> Status { failureStatus }
  public func shown(_ message: String) -> String { message }
  public var isFetchable: Bool { true }
  public func isServed(_ configuration: Configuration) -> Bool { false }
  public var servesArrivals: Bool { true }
  public func prefers(_ given: Configuration, over stored: Configuration) -> Bool { false }
  public func meaning(of answer: FetchAnswer) -> AnswerMeaning {
    switch answer.result {
    case .success(let response): AnswerMeaning(status: response.status)
    case .failure: .failed
    }
  }
  public func leads(_ isLeading: Bool) {}
  public func begins(isServed: Bool) {}
  public func isOffline() {}
  public func answered(_ answer: FetchAnswer) {}
  public func ended(_ outcome: FetchOutcome, _ answer: FetchAnswer?) {}
  public func report(of outcome: FetchOutcome) -> LifeReport? { nil }
  public var isUrgent: Bool { false }
}
