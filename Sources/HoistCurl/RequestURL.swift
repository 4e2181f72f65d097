internal import CCurl
internal import HoistBase

/// An absolute http or https URL, as libcurl's own parser understands it: the check of where credentials may go must
/// read an address exactly as libcurl does when it connects. Only once libcurl is loaded.
struct RequestURL: Sendable {
  /// Where credentials belong.
  struct Origin: Sendable, Equatable {
    let isSecure: Bool
    /// Lower case.
    let host: String
    let port: String
  }

  let text: String
  let origin: Origin
  /// For messages: origin and path, without user, query and fragment, and without path segments
  /// that are long enough to be a key or a context.
  let redacted: String

  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), Self.hasAuthority(text) else { return nil }
    self.init(steps: [text])
  }

  /// What a `Location` header means here; `nil` when it is no http or https address.
  func resolving(_ location: String) -> RequestURL? {
    RequestURL(steps: [text, location])
  }

  /// Exactly two slashes: libcurl takes one to three for a slip of the pen.
  private static func hasAuthority(_ text: String) -> Bool {
    let rest = text.utf8.drop { $0 != 0x3A }
    return rest.starts(with: "://".utf8) && rest.dropFirst(3).first != 0x2F
  }

  /// Sets one URL after the other, each relative to what is there.
  private init?(steps: [String]) {
    guard let parser = shim_curl().pointee.url() else { return nil }
    defer { shim_curl().pointee.url_cleanup(parser) }
    for (index, step) in steps.enumerated() {
      let flags = index == 0 ? 0 : UInt32(CURLU_URLENCODE)
      guard shim_curl().pointee.url_set(parser, CURLUPART_URL, step, flags) == CURLUE_OK else { return nil }
    }
    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var found: UnsafeMutablePointer<CChar>?
      guard shim_curl().pointee.url_get(parser, part, &found, UInt32(flags)) == CURLUE_OK, let found else { return nil }
      defer { shim_curl().pointee.free(found) }
      return String(cString: found)
    }
    guard let scheme = part(CURLUPART_SCHEME)?.asciiLowercased, scheme == "http" || scheme == "https",
      let text = part(CURLUPART_URL), let host = part(CURLUPART_HOST)?.asciiLowercased, !host.isEmpty,
      let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT)
    else { return nil }

    self.text = text
    origin = Origin(isSecure: scheme == "https", host: host, port: port)
    let shownPort = part(CURLUPART_PORT).map { ":\($0)" } ?? ""
    redacted = "\(scheme)://\(host)\(shownPort)\(URLText.redacted(path: part(CURLUPART_PATH) ?? "/"))"
  }
}

extension String {
  fileprivate var asciiLowercased: String {
    String(decoding: utf8.map(ASCII.lowercased), as: UTF8.self)
  }
}
