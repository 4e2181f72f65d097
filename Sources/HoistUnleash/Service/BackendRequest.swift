internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The requests of backend mode (protocol B.6, B.8, B.9, rows UNL-90, UNL-91, UNL-102).
struct BackendRequest: Sendable {
  enum Endpoint: String, Sendable {
    case features = "client/features"
    case delta = "client/delta"
    case streaming = "client/streaming"
    case register = "client/register"
    case metrics = "client/metrics"
  }

  let options: UnleashSettings

  /// nil without an address.
  func url(_ endpoint: Endpoint) -> URLText? {
    guard let url = options.url?.appendingPath(endpoint.rawValue) else { return nil }
    switch endpoint {
    case .features, .delta, .streaming: return selecting(url)
    case .register, .metrics: return url
    }
  }

  /// Asks for the flags of the options only.
  private func selecting(_ url: URLText) -> URLText? {
    var pairs: [(name: String, value: String)] = []
    if !options.project.isEmpty { pairs.append(("project", options.project)) }
    if !options.namePrefix.isEmpty { pairs.append(("namePrefix", options.namePrefix)) }
    pairs += options.tags.map { ("tag", $0) }
    return url.replacingQuery(pairs: pairs)
  }

  func fetch(_ url: URLText, _ headers: [HTTPHeader]) -> HTTPRequest {
    limited(HTTPRequest(method: "GET", url: url.text, headers: headers))
  }

  func stream(_ url: URLText, _ headers: [HTTPHeader]) -> HTTPRequest {
    var request = limited(HTTPRequest(method: "GET", url: url.text, headers: headers))
    request.timeoutMilliseconds = 0
    request.idleTimeoutMilliseconds = 60_000
    return request
  }

  func post(_ url: URLText, _ headers: [HTTPHeader], _ body: [UInt8]) -> HTTPRequest {
    limited(HTTPRequest(method: "POST", url: url.text, headers: headers, body: body))
  }

  private func limited(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.connectTimeoutMilliseconds = options.connectTimeoutMilliseconds
    request.timeoutMilliseconds = options.timeoutMilliseconds
    request.maximumResponseBytes = options.maximumResponseBytes
    return request
  }

  /// - Parameter strategies: names of the host's own; the built-in ones are added.
  func registration(strategies: [String], startedUnixMilliseconds: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      func text(_ name: String, _ value: String) {
        writer.key(name)
        writer.string(value)
      }
      text("appName", options.appName)
      text("instanceId", options.instanceID)
      text("connectionId", options.connectionID)
      text("sdkVersion", RequestHeaders.sdk)
      text("platformName", "hoist")
      text("platformVersion", HoistVersion.text)
      writer.key("yggdrasilVersion")
      writer.null()
      text("specVersion", RequestHeaders.clientSpecification)
      writer.key("strategies")
      writer.array { writer in
        for name in Self.builtInStrategies + strategies.sorted() { writer.string(name) }
      }
      text("started", RFC3339.text(unixMilliseconds: startedUnixMilliseconds))
      writer.key("interval")
      writer.int(options.metricsSeconds * 1000)
    }
    return writer.bytes
  }

  static let builtInStrategies = [
    "default", "userWithId", "flexibleRollout", "gradualRolloutUserId", "gradualRolloutSessionId",
    "gradualRolloutRandom", "remoteAddress", "applicationHostname",
  ]
}
