/// Which proxy a URL goes through: the option's, or by the variables that libcurl knows.
struct ProxySettings: Sendable, Equatable {
  /// For http and for https URLs; "" goes straight.
  let plain: String
  let secure: String
  /// Hosts that go straight, in the form of `CURLOPT_NOPROXY`.
  let exceptions: String

  /// - Parameter option: as `NetworkOptions.proxy`.
  init(option: String?, environment: (String) -> String?) {
    if let option {
      (plain, secure, exceptions) = (option, option, "")
      return
    }
    func first(_ names: String...) -> String {
      for name in names {
        if let value = environment(name), !value.isEmpty { return value }
      }
      return ""
    }
    // HTTP_PROXY in capitals is left out as libcurl does: in a CGI program a client can set it.
    plain = first("http_proxy", "all_proxy", "ALL_PROXY")
    secure = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    exceptions = first("no_proxy", "NO_PROXY")
  }
}
