internal import CCurl
internal import HoistCore

/// Sets options of an easy handle and remembers the first that was refused.
struct EasyOptions {
  let easy: UnsafeMutableRawPointer
  private(set) var failure = CURLE_OK

  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  mutating func set(_ option: CURLoption, _ value: Int) { note(shim_curl_set_long(easy, option, value)) }
  mutating func set(_ option: CURLoption, _ value: String?) { note(shim_curl_set_string(easy, option, value)) }
  mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    note(shim_curl_set_pointer(easy, option, value))
  }
  mutating func set(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>) {
    note(shim_curl_set_list(easy, option, value))
  }
  mutating func set(_ option: CURLoption, _ value: @escaping shim_curl_data_callback) {
    note(shim_curl_set_data_callback(easy, option, value))
  }

  private mutating func note(_ result: CURLcode) {
    if failure == CURLE_OK { failure = result }
  }

  // MARK: What is set

  mutating func setConduct(_ request: HTTPRequest, isStream: Bool) {
    note(shim_curl_set_http_only(easy))
    note(shim_curl_set_close_on_exec(easy))
    shim_curl_set_quick_exit(easy)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // Refused by a libcurl without HTTP/2, which then speaks HTTP/1.1.
    _ = shim_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    if isStream {
      // libcurl reads so much up to a hundred times in one step, which a fork of the process waits for.
      set(CURLOPT_BUFFERSIZE, 4_096)
    } else {
      set(CURLOPT_ACCEPT_ENCODING, "")
    }
    if request.connectTimeoutMilliseconds > 0 {
      set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32(clamping: request.connectTimeoutMilliseconds)))
    }
  }

  mutating func setSecurity(_ options: NetworkOptions, authorities: String?) {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = authorities {
      set(CURLOPT_CAINFO, file)
      // Otherwise the system's folder of authorities would be trusted beside the file.
      set(CURLOPT_CAPATH, nil as String?)
      _ = shim_curl_set_string(easy, CURLOPT_PROXY_CAINFO, file)
      _ = shim_curl_set_string(easy, CURLOPT_PROXY_CAPATH, nil)
    } else if let file = CertificateAuthorities.system(builtIn: shim_curl_authorities(easy).map { String(cString: $0) }) {
      set(CURLOPT_CAINFO, file)
      _ = shim_curl_set_string(easy, CURLOPT_PROXY_CAINFO, file)
    }
    if let file = options.clientCertificateFile { set(CURLOPT_SSLCERT, file) }
    if let file = options.clientKeyFile { set(CURLOPT_SSLKEY, file) }
  }

  mutating func setProxy(_ proxy: ProxySettings, for url: RequestURL) {
    // Both are set, "" included, so that libcurl does not look into the environment.
    set(CURLOPT_PROXY, url.origin.isSecure ? proxy.secure : proxy.plain)
    set(CURLOPT_NOPROXY, proxy.exceptions)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  mutating func setMethod(_ request: HTTPRequest) {
    let sendsLength = ["POST", "PUT", "PATCH"].contains(request.method)
    if let body = request.body ?? (sendsLength ? [] : nil) {
      set(CURLOPT_POST, 1)
      note(body.withUnsafeBytes { shim_curl_set_body(easy, $0.baseAddress, $0.count) })
    } else if request.method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    }
    if request.method != "HEAD" || request.body != nil { set(CURLOPT_CUSTOMREQUEST, request.method) }
  }

  mutating func setReceiver(_ exchange: Exchange) {
    let context = Unmanaged.passUnretained(exchange).toOpaque()
    set(CURLOPT_HEADERDATA, context)
    set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Self.pass(bytes, size, count, context) { $0.headerReceived($1) }
    }
    set(CURLOPT_WRITEDATA, context)
    set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      Self.pass(bytes, size, count, context) { $0.bodyReceived($1) }
    }
  }

  /// - Returns: the number of bytes, or another number, which ends the transfer.
  private static func pass(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ receive: (Exchange, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    let total = size.multipliedReportingOverflow(by: count)
    guard let context, !total.overflow, total.partialValue >= 0 else { return 0 }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let goesOn = receive(exchange, UnsafeRawBufferPointer(start: bytes, count: total.partialValue))
    return goesOn ? total.partialValue : (total.partialValue == 0 ? 1 : 0)
  }
}
