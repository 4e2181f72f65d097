internal import HoistBase
internal import HoistCore

/// The headers of every request (protocol B.1, rows UNL-14, UNL-21, UNL-22, UNL-46 to UNL-48, UNL-58, UNL-76, UNL-78).
struct RequestHeaders: Sendable {
  /// The specification of client behaviour that backend requests announce.
  static let clientSpecification = "6.1.0"
  private static let maximumEchoBytes = 2048
  static let sdk = "unleash-hoist-sdk:\(HoistVersion.text)"

  enum Purpose: Sendable {
    case frontendFetch(entityTag: String?)
    case frontendMetrics
    case backendFetch(entityTag: String?)
    case backendMetrics
    case registration
    case stream(lastEventID: String?)
  }

  let options: UnleashSettings

  /// Defaults, then custom headers and those of the header provider over them, except sensitive ones.
  func make(_ purpose: Purpose, dynamic: [HTTPHeader]) -> [HTTPHeader] {
    var headers = defaults(purpose)
    for (name, value) in options.customHeaders where !Self.isSensitive(name) { headers.set(name, value) }
    for header in dynamic where !Self.isSensitive(header.name) { headers.set(header.name, header.value) }
    return headers
  }

  /// The header provider's headers over a request's own, except sensitive ones.
  static func add(_ dynamic: [HTTPHeader], to request: inout HTTPRequest) {
    for header in dynamic where !isSensitive(header.name) { request.headers.set(header.name, header.value) }
  }

  /// Headers that a host may not change (UNL-46).
  static func isSensitive(_ name: String) -> Bool {
    let lower = name.lowercased()
    return lower == "content-type" || lower == "if-none-match" || lower.hasPrefix("unleash-")
  }

  private func defaults(_ purpose: Purpose) -> [HTTPHeader] {
    var headers = options.key.isEmpty ? [] : [HTTPHeader(options.keyHeader, options.key.reveal())]
    headers.append(HTTPHeader("Content-Type", "application/json"))
    headers += [
      HTTPHeader("unleash-appname", options.appName), HTTPHeader("unleash-connection-id", options.connectionID),
      HTTPHeader("unleash-sdk", Self.sdk),
    ]
    switch purpose {
    case .frontendFetch(let tag):
      headers += flavor + entityTag(tag)
    case .frontendMetrics:
      headers += flavor + [HTTPHeader("Accept", "application/json")]
    case .backendFetch(let tag):
      headers += backend(intervalSeconds: options.refreshSeconds) + entityTag(tag)
      headers.append(HTTPHeader("Accept", "*/*"))
    case .backendMetrics, .registration:
      headers += backend(intervalSeconds: options.metricsSeconds) + [HTTPHeader("Accept", "*/*")]
    case .stream(let lastEventID):
      headers += backend(intervalSeconds: options.refreshSeconds) + [HTTPHeader("Accept", "text/event-stream")]
      if let lastEventID, Self.canEcho(lastEventID) { headers.append(HTTPHeader("Last-Event-ID", lastEventID)) }
    }
    return headers
  }

  private func backend(intervalSeconds: Int64) -> [HTTPHeader] {
    [
      HTTPHeader("unleash-instanceid", options.instanceID),
      HTTPHeader("unleash-interval", String(intervalSeconds * 1000)),
      HTTPHeader("Unleash-Client-Spec", Self.clientSpecification),
    ]
  }

  private var flavor: [HTTPHeader] {
    var headers: [HTTPHeader] = []
    if !options.flavor.isEmpty { headers.append(HTTPHeader("unleash-sdk-flavor", options.flavor)) }
    if !options.flavorVersion.isEmpty { headers.append(HTTPHeader("unleash-sdk-flavor-version", options.flavorVersion)) }
    return headers
  }

  /// What the service or a stored file said must not spoil every request from now on.
  private static func canEcho(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumEchoBytes && HeaderText.isSafeValue(text)
  }

  /// No empty tag: Edge logs a warning for one.
  private func entityTag(_ tag: String?) -> [HTTPHeader] {
    guard let tag, Self.canEcho(tag) else { return [] }
    return [HTTPHeader("If-None-Match", tag)]
  }
}
