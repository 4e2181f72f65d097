internal import CCurl
internal import HoistBase
internal import HoistCore

/// One request on the wire: an easy handle and what must live as long as it does. Used on the
/// network thread; disposed of by hand, because a forked child must leave its parent's alone.
struct Transfer {
  let easy: UnsafeMutableRawPointer
  private let headers: UnsafeMutablePointer<curl_slist>
  private let errorText: UnsafeMutablePointer<CChar>

  /// - Parameter exchange: gets the answer; kept alive by the network thread while the transfer is on.
  /// - Throws: a failure that says what cannot be sent.
  init(
    _ request: HTTPRequest, to url: RequestURL, isStream: Bool, settings: TransportSettings, exchange: Exchange
  ) throws(TransportFailure) {
    let lines = try RequestHeaders.lines(for: request, userAgent: settings.options.userAgent)
    guard HeaderText.isSafeName(request.method) else { throw TransportFailure(.other, "the method is no token") }
    guard let headers = Self.list(lines) else { throw Self.noMemory }
    guard let easy = shim_curl().pointee.easy_init() else {
      shim_curl().pointee.slist_free_all(headers)
      throw Self.noMemory
    }
    self.easy = easy
    self.headers = headers
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))

    var options = EasyOptions(easy: easy)
    options.set(CURLOPT_ERRORBUFFER, errorText)
    options.set(CURLOPT_URL, url.text)
    options.set(CURLOPT_HTTPHEADER, headers)
    options.setConduct(request, isStream: isStream)
    options.setSecurity(settings.options, authorities: settings.authorities)
    options.setProxy(settings.proxy, for: url)
    options.setMethod(request)
    options.setReceiver(exchange)
    if options.failure != CURLE_OK {
      let failure = failure(options.failure)
      dispose()
      throw failure
    }
  }

  /// What went wrong, in libcurl's words where it gave some.
  func failure(_ result: CURLcode) -> TransportFailure {
    var connectStatus = 0
    shim_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &connectStatus)
    return TransferFailure.of(result, detail: String(cString: errorText), proxyStatus: connectStatus)
  }

  /// Only after the handle has left its multi handle.
  func dispose() {
    shim_curl().pointee.easy_cleanup(easy)
    shim_curl().pointee.slist_free_all(headers)
    errorText.deallocate()
  }

  private static let noMemory = TransportFailure(.other, "no memory for a request")

  private static func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = shim_curl().pointee.slist_append(list, line) else {
        shim_curl().pointee.slist_free_all(list)
        return nil
      }
      list = longer
    }
    return list
  }
}
