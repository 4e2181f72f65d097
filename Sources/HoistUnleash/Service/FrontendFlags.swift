internal import HoistBase
internal import HoistCore

/// Flags evaluated by the server for the current context (protocol B.2, B.4, B.5). On the scheduler's thread but where it says
/// otherwise.
final class FrontendFlags: FlagService, @unchecked Sendable {
  private let options: UnleashSettings
  private let compiler: DocumentCompiler
  private let compileOptions: UnleashOptions
  private let headers: RequestHeaders
  private weak var source: FlagSource?
  /// What the next fetch carries; changed by the caller of an update, on any thread.
  private let carried: LockedValue<FrontendContext>
  private(set) var asked: FrontendContext?

  /// Any thread.
  var context: FrontendContext { carried.withLock { $0 } }

  init(host: any ProviderHost, options: UnleashSettings) {
    self.options = options
    compiler = host.compiler
    compileOptions = UnleashOptions(options, host)
    headers = RequestHeaders(options: options)
    carried = LockedValue(
      FrontendContext(
        appName: options.appName, environment: options.environment, context: options.initialContext,
        properties: options.initialProperties, drawnSessionID: FrontendContext.drawSessionID(host.entropy)))
  }

  /// Any thread; the fetch is the scheduler's matter.
  func carry(_ context: FrontendContext) { carried.withLock { $0 = context } }

  func connect(_ source: FlagSource) { self.source = source }

  func begin(after wait: Int64?, completion: @escaping FetchLoop.Completion) {
    source?.loop.start(after: wait, completion: completion)
  }

  func request(entityTag: String) -> HTTPRequest? {
    guard let url = options.url else { return nil }
    let context = context
    asked = context
    return FrontendRequest.make(
      options, url: url, context, headers: headers.make(.frontendFetch(entityTag: entityTag), dynamic: []))
  }

  /// The vendor passes over answers without a body.
  func verdict(on response: HTTPResponse) -> FetchVerdict? {
    !(400...598).contains(response.status) && response.hasNoBody ? .ended(.empty) : nil
  }

  func read(
    _ response: HTTPResponse, isWanted: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<ReadFlags?, UnreadableFlags>) -> Void
  ) {
    let tag = response.headers.value(of: "ETag")
    let reader = reader(of: asked?.print, listsAll: true)
    compiler.compile(bytes: response.body.count) {
      reader(response.body)
    } completion: { read in
      guard isWanted() else { return read.discard() }
      completion(read.map { ReadFlags(snapshot: $0, document: response.body, entityTag: tag == "" ? nil : tag) })
    }
  }

  func reader(isFetched: Bool) -> @Sendable ([UInt8]) -> Result<Snapshot, UnreadableFlags> {
    reader(of: isFetched ? context.print : nil, listsAll: isFetched)
  }

  /// - Parameter context: what the flags were fetched for; nil serves them for every context.
  private func reader(of context: ContextFingerprint?, listsAll: Bool) -> @Sendable ([UInt8]) -> Result<Snapshot, UnreadableFlags>
  {
    { [compileOptions] document in
      document.withUnsafeBytes { bytes in
        do throws(UnleashDocumentFailure) {
          return .success(try UnleashToggles.compile(bytes, context: context, listsAll: listsAll, compileOptions).snapshot)
        } catch {
          return .failure(UnreadableFlags(message: error.message))
        }
      }
    }
  }
}
