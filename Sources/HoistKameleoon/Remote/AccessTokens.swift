internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Access tokens of the Data API (2.10; KAM-08). One is fetched when the first request wants it, and all that come
/// meanwhile wait for the same fetch; none is fetched where the client has no credentials. On the scheduler's thread.
final class AccessTokens: ClientPart, @unchecked Sendable {
  /// - Parameter bearer: the value of a header `Authorization`; nil: go without.
  typealias Completion = @Sendable (_ bearer: String?) -> Void

  /// A token is not used any more this long before it ends.
  private static let endGap: Int64 = 60
  /// From this long before its end, another one is fetched while it is used.
  private static let refreshGap: Int64 = 1_800
  /// The pause after a failed fetch.
  private static let silenceSeconds: Int64 = 300
  /// Longer lives are cut.
  private static let longestSeconds: Int64 = 366 * 86_400
  private static let maximumResponseBytes = 1 << 16

  private struct Token {
    let secret: Secret
    /// By the monotonic clock, in nanoseconds.
    let usableUntil: Int64
    let refreshedFrom: Int64

    var bearer: String { "Bearer \(secret.reveal())" }
  }

  private struct Waiting {
    let number: UInt64
    let completion: Completion
    let limit: any Cancellable
  }

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let reports: ServiceReports
  private let url: String
  /// With the client's credentials; nil without, and where they are not to be sent.
  private let authorization: Secret?
  private let requests: OutgoingRequests
  private var current: Token?
  private var waiting: [Waiting] = []
  private var lastNumber: UInt64 = 0
  private var silentUntil = Int64.min

  init(host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, reports: ServiceReports) {
    self.host = host
    self.settings = settings
    self.reports = reports
    url = addresses.token
    let id = settings.clientID
    authorization =
      settings.hasCredentials && addresses.takesSecret
      ? Secret(settings.clientSecret.withRevealedBytes { "Basic \(Base64.encode(Array("\(id):".utf8) + $0))" }) : nil
    requests = OutgoingRequests(host: host)
  }

  /// - Parameters:
  ///   - limitMilliseconds: how long the caller waits; then it goes without.
  ///   - completion: runs once, within the call where nothing is waited for.
  func bearer(withinMilliseconds limitMilliseconds: Int64, completion: @escaping Completion) {
    host.scheduler.assertCurrent()
    guard let authorization else { return completion(nil) }
    let now = now
    if let current, now < current.usableUntil {
      if now >= current.refreshedFrom { fetch(authorization) }
      return completion(current.bearer)
    }
    guard now >= silentUntil, host.isOnline else { return completion(nil) }
    lastNumber &+= 1
    let number = lastNumber
    let limit = host.scheduler.schedule(afterMilliseconds: limitMilliseconds) { [weak self] in self?.giveUp(number) }
    waiting.append(Waiting(number: number, completion: completion, limit: limit))
    fetch(authorization)
  }

  /// The service has answered 401 to this token: the next request gets another one.
  /// - Parameter bearer: as it was given; one that is not current any more is ignored.
  func drop(_ bearer: String) {
    host.scheduler.assertCurrent()
    guard let current, current.bearer.utf8.elementsEqual(bearer.utf8) else { return }
    host.log.debug("the access token is refused")
    self.current = nil
  }

  private func giveUp(_ number: UInt64) {
    guard let at = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: at).completion(nil)
  }

  private func fetch(_ authorization: Secret) {
    guard requests.count == 0, now >= silentUntil, host.isOnline else { return }
    var request = HTTPRequest(
      method: "POST", url: url,
      headers: [
        HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
        HTTPHeader("Authorization", authorization.reveal()),
      ],
      body: Array("grant_type=client_credentials".utf8))
    // The waiting request may have less time.
    settings.limit(&request)
    request.maximumResponseBytes = Self.maximumResponseBytes
    let begun = now
    requests.send(request) { [weak self] answer in
      self?.reports.attempt(.accessToken, answer, begunNanoseconds: begun)
      self?.take(answer)
    }
  }

  private func take(_ answer: OutgoingRequests.Answer) {
    switch answer {
    case .success(let response) where 200...299 ~= response.status:
      guard let token = Self.read(response.body, now: now) else { return failed("the answer has none") }
      current = token
      tellAll(token.bearer)
    case .success(let response): failed("the service answered \(response.status)")
    case .failure(let failure) where failure.kind == .cancelled: break
    case .failure(let failure): failed("no answer: \(failure.message)")
    }
  }

  private func failed(_ reason: String) {
    silentUntil = now &+ Self.silenceSeconds * 1_000_000_000
    host.log.warning("no access token: \(reason); requests go without for \(Self.silenceSeconds) seconds")
    tellAll(nil)
  }

  private func tellAll(_ bearer: String?) {
    let told = waiting
    waiting = []
    for one in told {
      one.limit.cancel()
      one.completion(bearer)
    }
  }

  private var now: Int64 { host.clock.monotonicNanoseconds }

  /// `{"access_token": "…", "expires_in": seconds}`; nil for anything else.
  private static func read(_ body: [UInt8], now: Int64) -> Token? {
    let token = try? body.withUnsafeBytes { text throws(JSONFailure) in
      try JSONNode.parse(text) { root -> Token? in
        guard let secret = root["access_token"]?.utf8, !secret.isEmpty, HeaderText.isSafeValue(ByteView(secret)),
          let seconds = root["expires_in"]?.int64, seconds > 0
        else { return nil }
        let life = min(seconds, longestSeconds)
        let usable = now &+ (life &- endGap) &* 1_000_000_000
        let refreshed = life > refreshGap ? now &+ (life &- refreshGap) &* 1_000_000_000 : usable
        return Token(secret: Secret(ByteView(secret)), usableUntil: usable, refreshedFrom: refreshed)
      }
    }
    return token ?? nil
  }
}

/// The client's life.
extension AccessTokens {
  /// Waiting requests go without a token.
  func stop() {
    host.scheduler.assertCurrent()
    requests.cancelAll()
    tellAll(nil)
  }

  func setOnline(_ isOnline: Bool) { if !isOnline { stop() } }

  func abandonAfterFork() {
    requests.abandonAfterFork()
    waiting = []
  }
}
