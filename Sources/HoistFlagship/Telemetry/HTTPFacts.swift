internal import HoistBase
internal import HoistCore

/// An exchange as troubleshooting reports describe it: no headers, which may hold keys.
struct HTTPFacts {
  /// Of a body.
  private static let maximumBytes = 2_000

  let method: String
  let url: String
  let response: HTTPResponse
  /// From the request to the answer; nil where it was not measured.
  let milliseconds: Int64?

  init(method: String, url: String, _ response: HTTPResponse, milliseconds: Int64?) {
    self.method = method
    self.url = url
    self.response = response
    self.milliseconds = milliseconds
  }

  var values: [(String, String)] {
    [
      ("http.request.method", method), ("http.request.url", URLText.redacted(url)),
      ("http.response.code", String(response.status)),
      ("http.response.body", String(decoding: response.body.prefix(Self.maximumBytes), as: UTF8.self)),
    ] + (milliseconds.map { [("http.response.time", String($0))] } ?? [])
  }
}
