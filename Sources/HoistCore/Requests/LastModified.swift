internal import HoistBase

extension HTTPResponse {
  /// The header `Last-Modified`, if it can stand in a request's header.
  public var lastModified: String? { headers.value(of: "Last-Modified").flatMap { HeaderText.isSafeValue($0) ? $0 : nil } }
}

extension ProviderHost {
  /// In the log, and to observers of fetches and errors.
  public func tellOfFailedFetch(_ status: Status, _ message: String) {
    log.warning(message)
    for topic in [Topic.fetchFailed, .error] { notify(Notification(topic, status: status, message: message)) }
  }
}
