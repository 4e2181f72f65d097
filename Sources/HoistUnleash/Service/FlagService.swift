internal import HoistBase
internal import HoistCore

/// The part of fetching that depends on the mode: requests, and the reading of answers. On the scheduler's thread.
protocol FlagService: AnyObject {
  func connect(_ source: FlagSource)
  /// Begins to bring flags.
  /// - Parameters:
  ///   - wait: milliseconds before the first fetch; nil for one interval.
  ///   - completion: gets the first outcome.
  func begin(after wait: Int64?, completion: @escaping FetchLoop.Completion)
  /// What is under way beside fetches counts no more.
  func end()
  func abandonAfterFork()
  /// The next request, without headers of the host's header provider; nil without an address.
  /// - Parameter entityTag: of the flags that are served; "" for none.
  func request(entityTag: String) -> HTTPRequest?
  /// What the newest request carries; nil where the service evaluates nothing.
  var asked: FrontendContext? { get }
  /// What an answer means that is not read as the others are; nil for one that is.
  func verdict(on response: HTTPResponse) -> FetchVerdict?
  /// Reads a good answer.
  /// - Parameters:
  ///   - isWanted: asked when it is read: what is not is let go of, and `completion` is not called.
  ///   - completion: gets the flags, which are its own; nil where newer ones have come meanwhile.
  func read(
    _ response: HTTPResponse, isWanted: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<ReadFlags?, UnreadableFlags>) -> Void)
  /// Compiles flags that the client starts with; on any thread.
  /// - Parameter isFetched: the service has sent them, to an earlier run.
  func reader(isFetched: Bool) -> @Sendable ([UInt8]) -> Result<Snapshot, UnreadableFlags>
  /// Those of this document are the ones to be served.
  func adopts(_ document: [UInt8])
  /// A fetch has brought flags, which are served, or has confirmed them.
  func fetchSucceeded()
  /// Changes are streamed, and nothing is fetched beside that.
  var isStreaming: Bool { get }
  /// Another process is the one that streams: flags are fetched again.
  func endStream()
  /// What to keep for the next run, of flags that came without it.
  var document: [UInt8]? { get }
}

extension FlagService {
  func connect(_ source: FlagSource) {}
  func adopts(_ document: [UInt8]) {}
  func end() {}
  func abandonAfterFork() {}
  func fetchSucceeded() {}
  var isStreaming: Bool { false }
  func endStream() {}
  var asked: FrontendContext? { nil }
  var document: [UInt8]? { nil }

  /// Reads flags that the client starts with, at once; they are the caller's.
  func read(_ document: [UInt8], isFetched: Bool) -> Result<Snapshot, UnreadableFlags> {
    let read = reader(isFetched: isFetched)(document)
    if case .success = read { adopts(document) }
    return read
  }
}

/// Flags ready to be served.
struct ReadFlags: Sendable {
  let snapshot: Snapshot
  /// What to keep for the next run; nil where it has to be put together, by the service's `document`.
  let document: [UInt8]?
  /// What the service calls them; nil leaves the former name.
  let entityTag: String?
}

struct UnreadableFlags: Error {
  let message: String
}

extension UnleashSettings.Mode {
  /// Why a document cannot be read that would be good in the other mode; nil for other documents.
  func misread(_ document: [UInt8]) -> UnreadableFlags? {
    document.withUnsafeBytes { bytes in
      switch self {
      case .frontend:
        guard let other = try? UnleashFeatures.compile(bytes, UnleashOptions()) else { return nil }
        other.snapshot.destroy()
        return UnreadableFlags(message: "it has definitions, which backend mode starts with; frontend mode takes toggles")
      case .backend:
        guard let other = try? UnleashToggles.compile(bytes, context: nil, UnleashOptions()) else { return nil }
        other.snapshot.destroy()
        return UnreadableFlags(message: "it has toggles, which frontend mode starts with; backend mode takes definitions")
      }
    }
  }
}
