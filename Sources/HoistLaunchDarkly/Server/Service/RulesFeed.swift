internal import HoistBase
internal import HoistCore

/// Requests for the rules of an environment, which no context goes with (protocols/launchdarkly-server.md 2.1 to 2.4).
struct RulesFeed: FlagFeed {
  /// A stream that is silent for longer is dead: the service sends a comment every 3 minutes.
  private static let idleMilliseconds: Int64 = 300_000

  let settings: LaunchDarklySettings
  let headers: RequestHeaders
  /// Of a part of the rules; "" for all.
  private let filter: String

  /// - Parameter filter: one that the service does not take counts as none.
  init(settings: LaunchDarklySettings, headers: RequestHeaders, filter: String) {
    self.settings = settings
    self.headers = headers
    self.filter = Self.isFilter(filter) ? filter : ""
  }

  static func isFilter(_ text: String) -> Bool {
    guard let first = text.utf8.first, ASCII.isAlphanumeric(first) else { return false }
    return text.utf8.allSatisfy {
      ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
  }

  var keyName: StaticString { "SDK key" }
  var afterRefusal: StaticString { "rules are not updated" }
  var keepsEntityTag: Bool { true }
  var dropsBadStreams: Bool { true }
  var firstDoublings: Int { 0 }

  func pollVerdict(status: Int) -> PollVerdict {
    switch status {
    case 400, 408, 429: .failed
    case 400...499: .goOffline
    default: PollVerdict(status: status)
    }
  }

  func poll(entityTag: String, byReport: Bool) -> HTTPRequest? {
    var own: [HTTPHeader] = []
    if !entityTag.isEmpty, HeaderText.isSafeValue(entityTag) { own.append(HTTPHeader("If-None-Match", entityTag)) }
    guard var request = get(settings.baseURL.appendingPath("sdk/latest-all"), own) else { return nil }
    request.timeoutMilliseconds = settings.connectionTimeoutMilliseconds
    request.maximumResponseBytes = settings.maximumResponseBytes
    return request
  }

  func stream(lastEventID: String) -> HTTPRequest? {
    var own = [HTTPHeader("Accept", "text/event-stream"), HTTPHeader("Cache-Control", "no-cache")]
    if !lastEventID.isEmpty, HeaderText.isSafeValue(lastEventID) { own.append(HTTPHeader("Last-Event-Id", lastEventID)) }
    guard var request = get(settings.streamURL.appendingPath("all"), own) else { return nil }
    request.timeoutMilliseconds = 0
    request.headerTimeoutMilliseconds = Self.idleMilliseconds
    request.idleTimeoutMilliseconds = Self.idleMilliseconds
    return request
  }

  private func get(_ url: URLText?, _ own: [HTTPHeader]) -> HTTPRequest? {
    guard let url = url?.replacingQuery(pairs: filter.isEmpty ? [] : [("filter", filter)]) else { return nil }
    var request = HTTPRequest(method: "GET", url: url.text, headers: headers.make(own))
    request.connectTimeoutMilliseconds = settings.connectionTimeoutMilliseconds
    return request
  }
}
