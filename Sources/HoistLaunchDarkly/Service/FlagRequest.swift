internal import HoistBase
internal import HoistCore

/// Requests for the flags of a context (2.2, 2.3).
struct FlagRequest: Sendable {
  /// A stream that is silent for longer is dead: the service sends a comment every 3 minutes.
  private static let idleMilliseconds: Int64 = 300_000

  let settings: LaunchDarklySettings
  let headers: RequestHeaders

  func poll(_ context: LDContext, entityTag: String, byReport: Bool) -> HTTPRequest? {
    var own: [HTTPHeader] = []
    if !entityTag.isEmpty, HeaderText.isSafeValue(entityTag) { own.append(HTTPHeader("If-None-Match", entityTag)) }
    let base = settings.baseURL
    guard
      var request = byReport
        ? report(base.appendingPath("msdk/evalx/context"), context, own)
        : get(base.appendingPath("msdk/evalx/contexts/\(context.pathSegment)"), own)
    else { return nil }
    request.timeoutMilliseconds = settings.connectionTimeoutMilliseconds
    request.maximumResponseBytes = settings.maximumResponseBytes
    return request
  }

  func stream(_ context: LDContext, lastEventID: String) -> HTTPRequest? {
    var own = [HTTPHeader("Accept", "text/event-stream"), HTTPHeader("Cache-Control", "no-cache")]
    if !lastEventID.isEmpty, HeaderText.isSafeValue(lastEventID) { own.append(HTTPHeader("Last-Event-Id", lastEventID)) }
    let base = settings.streamURL
    guard
      var request = settings.usesReport
        ? report(base.appendingPath("meval"), context, own)
        : get(base.appendingPath("meval/\(context.pathSegment)"), own)
    else { return nil }
    request.timeoutMilliseconds = 0
    request.headerTimeoutMilliseconds = Self.idleMilliseconds
    request.idleTimeoutMilliseconds = Self.idleMilliseconds
    return request
  }

  private func get(_ url: URLText?, _ own: [HTTPHeader]) -> HTTPRequest? {
    make(url) { HTTPRequest(method: "GET", url: $0.text, headers: headers.make(own)) }
  }

  private func report(_ url: URLText?, _ context: LDContext, _ own: [HTTPHeader]) -> HTTPRequest? {
    make(url) { url in
      HTTPRequest(
        method: "REPORT", url: url.text, headers: headers.make(own + [HTTPHeader("Content-Type", "application/json")]),
        body: context.requestJSON)
    }
  }

  private func make(_ url: URLText?, _ build: (URLText) -> HTTPRequest) -> HTTPRequest? {
    var query: [(name: String, value: String)] = []
    if settings.asksForReasons { query.append(("withReasons", "true")) }
    if !settings.secureModeHash.isEmpty { query.append(("h", settings.secureModeHash.reveal())) }
    guard let url = url?.replacingQuery(pairs: query) else { return nil }
    var request = build(url)
    request.connectTimeoutMilliseconds = settings.connectionTimeoutMilliseconds
    return request
  }
}
