/// An absolute `http` or `https` URL, taken apart (RFC 3986). Scheme and host are in lower case; path
/// and query are kept as they were given; a fragment, which is never sent, is dropped.
public struct URLText: Sendable, Equatable {
  public enum Scheme: String, Sendable {
    case http, https

    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// Why a text is no usable URL. The description is one line and repeats nothing of the text.
  public enum Problem: Error, Sendable, Equatable, CustomStringConvertible {
    case tooLong, noScheme, unsupportedScheme, invalidCharacter, invalidHost, invalidPort

    public var description: String {
      switch self {
      case .tooLong: "URL is longer than \(URLText.maximumBytes) bytes"
      case .noScheme: "URL does not begin with http:// or https://"
      case .unsupportedScheme: "URL scheme is neither http nor https"
      case .invalidCharacter:
        "URL has a blank, a control character or another one that must be percent-encoded"
      case .invalidHost: "URL has no valid host name or address"
      case .invalidPort: "URL port is not a number from 1 to 65535"
      }
    }
  }

  public let scheme: Scheme
  /// Text before `@`: may hold a password, so it is in no other member than `text`.
  public let userInfo: String?
  /// A name or an address; an IPv6 address is in brackets.
  public let host: String
  /// As given, or the scheme's own.
  public let port: Int
  /// Empty, or with a leading `/`. Percent-encoded.
  public private(set) var path: String
  /// Without `?`; nil when there is none. Percent-encoded.
  public private(set) var query: String?

  public static var maximumBytes: Int { 65_536 }

  public init(_ source: some ByteSource) throws(Problem) {
    self = try source.withBytes { Self.parse($0) }.get()
  }

  /// The whole URL as it is sent, user-info included.
  public var text: String {
    "\(scheme.rawValue)://\(userInfo.map { $0 + "@" } ?? "")\(authority)\(path)\(query.map { "?" + $0 } ?? "")"
  }

  /// For messages: without user-info and query.
  public var redacted: String { "\(scheme.rawValue)://\(authority)\(path)" }

  /// The URL with `name=value` pairs for its query, both encoded here; without a query when there
  /// are no pairs.
  public func replacingQuery(pairs: [(name: String, value: String)]) -> URLText {
    var encoded: [UInt8] = []
    for (name, value) in pairs {
      if !encoded.isEmpty { encoded.append(0x26) }
      PercentEncoding.append(name, to: &encoded)
      encoded.append(0x3D)
      PercentEncoding.append(value, to: &encoded)
    }
    var copy = self
    copy.query = pairs.isEmpty ? nil : String(decoding: encoded, as: UTF8.self)
    return copy
  }

  /// The URL with `suffix` after its path and one `/` between them, and without a query.
  /// - Parameter suffix: percent-encoded, with or without a leading `/`.
  /// - Returns: nil when it is not percent-encoded or has a `?` or `#`.
  public func appendingPath(_ suffix: String) -> URLText? {
    let isPath = suffix.withBytes { bytes in
      URLCharacters.areAllowed(bytes) && !bytes.contains(0x3F) && !bytes.contains(0x23)
    }
    guard isPath else { return nil }
    let end = path.utf8.lastIndex { $0 != 0x2F }.map { path.utf8.index(after: $0) }
    let start = suffix.utf8.firstIndex { $0 != 0x2F } ?? suffix.endIndex
    var copy = self
    copy.path = "\(path[..<(end ?? path.startIndex)])/\(suffix[start...])"
    copy.query = nil
    return copy
  }

  /// The last segment of the path that is not empty; nil without one.
  public var lastSegment: Substring? { path.split(separator: "/").last }

  /// The URL without its last segment, and without what follows that.
  public var parent: URLText {
    var copy = self
    if let lastSegment { copy.path = String(path[..<lastSegment.startIndex]) }
    copy.query = nil
    return copy
  }

  /// Any text for a message: redacted when it is a URL, else not shown at all.
  public static func redacted(_ source: some ByteSource) -> String {
    (try? URLText(source))?.redacted ?? "(invalid URL)"
  }

  /// A text that may be a URL, with `***` for what stands before `@`, also where that holds signs it must not.
  public static func withoutUser(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
    let end = bytes[start...].firstIndex { [0x2F, 0x3F, 0x23].contains($0) } ?? bytes.endIndex
    let isHost = bytes[start..<end].withUnsafeBytes { URLCharacters.isHostAndPort($0) }
    guard !isHost, let at = bytes[start..<end].lastIndex(of: 0x40) ?? bytes[start...].lastIndex(of: 0x40) else { return text }
    return String(decoding: bytes[..<start], as: UTF8.self) + "***" + String(decoding: bytes[at...], as: UTF8.self)
  }

  /// Longest segment of a path that is no key and no context.
  private static let longestShownSegment = 19

  /// A path without the segments that are long enough to be a key or a context.
  public static func redacted(path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.utf8.count > longestShownSegment ? "***" : String($0) }.joined(separator: "/")
  }

  private var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }
}

extension URLText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { redacted }
  public var debugDescription: String { redacted }
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension URLText {
  private static func parse(_ bytes: ByteView) -> Result<URLText, Problem> {
    guard bytes.count <= maximumBytes else { return .failure(.tooLong) }
    guard URLCharacters.areAllowed(bytes) else { return .failure(.invalidCharacter) }
    guard let schemeEnd = bytes.firstIndex(of: 0x3A), schemeEnd > 0,
      bytes.view(from: schemeEnd, to: schemeEnd + 3).elementsEqual("://".utf8)
    else { return .failure(.noScheme) }
    let schemeText = String(decoding: bytes[..<schemeEnd], as: UTF8.self).lowercased()
    guard let scheme = Scheme(rawValue: schemeText) else { return .failure(.unsupportedScheme) }

    let end = bytes.firstIndex(of: 0x23) ?? bytes.count
    let rest = bytes.view(from: schemeEnd + 3, to: end)
    let authorityEnd = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.count
    let queryMark = rest.firstIndex(of: 0x3F)
    let authority = rest.view(from: 0, to: authorityEnd)
    let at = authority.firstIndex(of: 0x40)
    let hostAndPort = authority.view(from: at.map { $0 + 1 } ?? 0, to: authority.count)
    guard let (host, portText) = URLCharacters.splitHost(hostAndPort)
    else { return .failure(.invalidHost) }
    var port = scheme.defaultPort
    if let portText {
      guard let number = URLCharacters.port(portText) else { return .failure(.invalidPort) }
      port = number
    }
    return .success(
      URLText(
        scheme: scheme, userInfo: at.map { String(decoding: authority[..<$0], as: UTF8.self) },
        host: host, port: port,
        path: UTF8Text.repaired(rest.view(from: authorityEnd, to: queryMark ?? rest.count)),
        query: queryMark.map { UTF8Text.repaired(rest.view(from: $0 + 1, to: rest.count)) }))
  }

  private init(
    scheme: Scheme, userInfo: String?, host: String, port: Int, path: String, query: String?
  ) {
    self.scheme = scheme
    self.userInfo = userInfo
    self.host = host
    self.port = port
    self.path = path
    self.query = query
  }
}

/// The bytes that are allowed in each part of a URL.
private enum URLCharacters {
  /// Visible ASCII without the characters that RFC 3986 gives no place, and `%` only before two
  /// hexadecimal digits. Square brackets, which it keeps for addresses, are let through in queries.
  static func areAllowed(_ bytes: ByteView) -> Bool {
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D: return false
      case 0x25:
        guard index + 2 < bytes.count, ASCII.hexValue(bytes[index + 1]) != nil,
          ASCII.hexValue(bytes[index + 2]) != nil
        else { return false }
      case 0x21...0x7E: continue
      default: return false
      }
    }
    return true
  }

  static func port(_ bytes: ByteView) -> Int? {
    IntegerParser.parse(bytes, as: UInt16.self).value.flatMap { $0 > 0 ? Int($0) : nil }
  }

  static func isHostAndPort(_ bytes: ByteView) -> Bool {
    splitHost(bytes).map { parts in parts.port.map { port($0) != nil } ?? true } ?? false
  }

  /// The host in lower case and what follows its `:`, if there is one.
  static func splitHost(_ bytes: ByteView) -> (host: String, port: ByteView?)? {
    let hostEnd: Int
    if bytes.first == 0x5B {
      guard let bracket = bytes.firstIndex(of: 0x5D),
        IPAddress(bytes.view(from: 1, to: bracket))?.family == .v6
      else { return nil }
      hostEnd = bracket + 1
    } else {
      hostEnd = bytes.firstIndex(of: 0x3A) ?? bytes.count
      let isName = bytes[..<hostEnd].allSatisfy { byte in
        ASCII.isAlphanumeric(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
      }
      guard isName, 1...253 ~= hostEnd else { return nil }
    }
    let host = String(decoding: bytes[..<hostEnd], as: UTF8.self).lowercased()
    if hostEnd == bytes.count { return (host, nil) }
    guard bytes[hostEnd] == 0x3A else { return nil }
    return (host, bytes.view(from: hostEnd + 1, to: bytes.count))
  }
}
