internal import HoistBase
internal import HoistCore

/// The audience segments of visitors: requested from the data platform, once for each fetch, and cached (rows OPT-11 to
/// OPT-13, OPT-67; protocols/optimizely.md 3.5, 5.7). On the scheduler's thread, but where it says otherwise.
final class SegmentsService: @unchecked Sendable {
  typealias Completion = @Sendable (Result<[[UInt8]], PlatformFailure>) -> Void

  private struct Visitor: Hashable {
    var isVUID: Bool
    var id: [UInt8]
  }

  private static let maximumResponseBytes = 1 << 20
  /// Fetches that may be under way; further ones fail at once.
  private static let maximumUnderWay = 1_000

  private let host: any ProviderHost
  private let settings: PlatformSettings
  private let requests: OutgoingRequests
  private let manager: ManagerLane?
  private var address: PlatformAddress?
  private var asked: [[UInt8]] = []
  private var kept: ExpiringCache<Visitor, [[UInt8]]>
  /// Changes with the configuration: an answer to an earlier request is not cached.
  private var epoch: UInt64 = 0
  private var isStopped = false
  /// Told once per episode.
  private var isFailing = false

  init(host: any ProviderHost, settings: PlatformSettings, manager: ManagerLane?) {
    self.host = host
    self.settings = settings
    self.manager = manager
    requests = OutgoingRequests(host: host)
    kept = ExpiringCache(capacity: settings.cacheCapacity, lifetime: settings.cacheMilliseconds)
  }

  /// A datafile is served. On the scheduler's thread, or while the client is made and has no other user.
  func follow(_ integration: PlatformIntegration, segments: [[UInt8]]) {
    guard integration.address != address || segments != asked else { return }
    address = integration.address
    asked = segments
    epoch &+= 1
    kept.removeAll()
  }

  /// Any thread; `completion` runs once, on the scheduler's thread.
  func fetch(_ userID: [UInt8], _ options: SegmentFetchOptions, completion: @escaping Completion) {
    host.scheduler.post { [weak self] in
      guard let self else { return completion(.failure(.fetchFailed("the client is closed"))) }
      begin(userID, options) { [weak self] result in
        self?.note(result)
        completion(result)
      }
    }
  }

  private func note(_ result: Result<[[UInt8]], PlatformFailure>) {
    guard case .failure(let failure) = result else {
      isFailing = false
      return
    }
    if isFailing {
      host.log.debug(failure.message)
    } else {
      host.log.warning("\(failure.message) (further ones are told at level debug)")
    }
    isFailing = true
  }

  private func begin(_ userID: [UInt8], _ options: SegmentFetchOptions, _ completion: @escaping Completion) {
    host.scheduler.assertCurrent()
    if isStopped { return completion(.failure(.fetchFailed("the client is closed"))) }
    if let manager { return manager.segments(of: userID, options, completion: completion) }
    guard let address else { return completion(.failure(.fetchFailed("apiKey/apiHost not defined"))) }
    guard !asked.isEmpty else { return completion(.success([])) }
    let visitor = Visitor(isVUID: VUID.isOne(userID), id: userID)
    if options.contains(.resetCache) { kept.removeAll() }
    if !options.contains(.ignoreCache), let segments = kept.lookUp(visitor, at: now) {
      return completion(.success(segments))
    }
    guard host.isOnline else { return completion(.failure(.fetchFailed("the client is offline"))) }
    guard requests.count < Self.maximumUnderWay else {
      return completion(.failure(.fetchFailed("too many fetches are under way")))
    }
    ask(address, visitor, keeping: !options.contains(.ignoreCache), completion)
  }

  private func ask(
    _ address: PlatformAddress, _ visitor: Visitor, keeping keeps: Bool, _ completion: @escaping Completion
  ) {
    let query = SegmentsQuery(host: address.host, apiKey: address.apiKey, userID: visitor.id, segments: asked)
    var request = HTTPRequest(
      method: "POST", url: query.url, headers: query.headers.map { HTTPHeader($0.name, $0.value) }, body: query.body)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.fetchTimeoutMilliseconds
    request.maximumResponseBytes = Self.maximumResponseBytes
    let mine = epoch
    requests.send(request) { [weak self] answer in
      let response = try? answer.get()
      switch SegmentsAnswer(status: response?.status, body: response?.body ?? []) {
      case .segments(let segments):
        if let self, keeps, mine == epoch { kept.save(visitor, segments, at: now) }
        completion(.success(segments))
      case .invalidIdentifier: completion(.failure(.invalidIdentifier))
      case .failed(let hint): completion(.failure(.fetchFailed(hint)))
      }
    }
  }

  private var now: Int64 { host.clock.monotonicNanoseconds / 1_000_000 }

  func start() { isStopped = false }

  /// Completes all waiting calls.
  func stop() {
    host.scheduler.assertCurrent()
    isStopped = true
    requests.cancelAll()
  }

  func abandonAfterFork() { requests.abandonAfterFork() }
}
