internal import CCurl
internal import HoistBase
internal import HoistCore

/// What libcurl's results mean to a caller.
enum TransferFailure {
  /// - Parameters:
  ///   - detail: the text of `CURLOPT_ERRORBUFFER`, "" when there is none.
  ///   - proxyStatus: what a proxy answered to CONNECT, 0 when none was asked.
  static func of(_ result: CURLcode, detail: String, proxyStatus: Int = 0) -> TransportFailure {
    if proxyStatus >= 300 { return TransportFailure(.unreachable, "the proxy refuses with status \(proxyStatus)") }
    return TransportFailure(kind(of: result, detail: detail), reason(result, detail))
  }

  private static func kind(of result: CURLcode, detail: String) -> TransportFailure.Kind {
    switch result {
    case CURLE_URL_MALFORMAT:
      .invalidURL
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED,
      CURLE_PROXY:
      .unreachable
    case CURLE_OPERATION_TIMEDOUT:
      .timeout
    case CURLE_RECV_ERROR where holds(detail, " alert "):
      // With TLS 1.3 a server refuses the client's certificate only after the handshake.
      .tls
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      .tls
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      .connectionReset
    case CURLE_FILESIZE_EXCEEDED:
      .tooLarge
    default:
      .other
    }
  }

  /// libcurl's own words, unless they quote a URL or a proxy, which may hold credentials.
  private static func reason(_ result: CURLcode, _ detail: String) -> String {
    let general = shim_curl().pointee.easy_strerror(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
    let quotes = holds(detail, "@") || holds(detail, "://")
    return LineText.clean(String(decoding: (detail.isEmpty || quotes ? general : detail).utf8.prefix(256), as: UTF8.self))
  }

  private static func holds(_ text: String, _ part: String) -> Bool {
    text.utf8.indices.contains { text.utf8[$0...].starts(with: part.utf8) }
  }
}
