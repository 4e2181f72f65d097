internal import HoistBase
internal import HoistCore

/// The header lines of a request in the spelling of `CURLOPT_HTTPHEADER`.
enum RequestHeaders {
  /// What frames the message is the transport's to say.
  private static let framing = ["Content-Length", "Transfer-Encoding", "Expect"]
  /// The headers that are sent on to another origin: none that could be a credential.
  private static let originFree = [
    "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding", "Content-Language",
    "Content-Type", "If-Modified-Since", "If-None-Match", "User-Agent",
  ]
  private static let aboutBody = ["Content-Encoding", "Content-Language", "Content-Type"]

  /// - Throws: a failure that names the header which cannot be sent.
  static func lines(for request: HTTPRequest, userAgent: String) throws(TransportFailure) -> [String] {
    var headers = request.headers.filter { !contains(framing, $0.name) }
    if headers.value(of: "User-Agent") == nil, !userAgent.isEmpty {
      headers.append(HTTPHeader("User-Agent", userAgent))
    }
    var lines: [String] = []
    for header in headers { lines.append(try line(header)) }
    // A name and a colon alone take away what libcurl would add.
    lines.append("Expect:")
    for added in ["Accept", "Content-Type"] where headers.value(of: added) == nil { lines.append("\(added):") }
    return lines
  }

  static func withoutCredentials(_ headers: [HTTPHeader]) -> [HTTPHeader] {
    headers.filter { contains(originFree, $0.name) }
  }

  static func withoutBody(_ headers: [HTTPHeader]) -> [HTTPHeader] {
    headers.filter { !contains(aboutBody, $0.name) }
  }

  private static func line(_ header: HTTPHeader) throws(TransportFailure) -> String {
    guard HeaderText.isSafeName(header.name) else {
      throw TransportFailure(.other, "a header's name is empty or has a character that names cannot have")
    }
    guard HeaderText.isSafeValue(header.value) else {
      throw TransportFailure(.other, "the header \(header.name) has a line break or another control character")
    }
    let bytes = Array(header.value.utf8).drop { isBlank($0) }
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? bytes.startIndex
    let value = String(decoding: bytes[..<end], as: UTF8.self)
    // The semicolon is how libcurl is told to send a header without a value.
    return value.isEmpty ? "\(header.name);" : "\(header.name): \(value)"
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func contains(_ names: [String], _ name: String) -> Bool {
    names.contains { ASCII.equalsIgnoringCase($0, name) }
  }
}
