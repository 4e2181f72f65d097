internal import HoistBase
internal import HoistCore

/// Requests with the headers that all of their kind have (3.1).
struct ServiceRequest: Sendable {
  private let settings: FlagshipSettings

  init(_ settings: FlagshipSettings) { self.settings = settings }

  /// - Parameter body: JSON.
  func post(_ url: String, body: [UInt8]) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: url,
      headers: [
        HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/json"),
        HTTPHeader("x-sdk-client", settings.clientName), HTTPHeader("x-sdk-version", HoistVersion.text),
      ],
      body: body)
    limit(&request)
    return request
  }

  func get(_ url: String) -> HTTPRequest {
    var request = HTTPRequest(
      method: "GET", url: url,
      headers: [
        HTTPHeader("Accept", "application/json"), HTTPHeader("x-sdk-client", settings.clientName),
        HTTPHeader("x-sdk-version", HoistVersion.text),
      ])
    limit(&request)
    return request
  }

  private func limit(_ request: inout HTTPRequest) {
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.timeoutMilliseconds
    request.maximumResponseBytes = settings.maximumResponseBytes
  }
}
