internal import HoistBase

extension ProviderHost {
  /// Sets the headers of the client's header provider over the request's own; `completion` runs on the scheduler's
  /// thread.
  public func addDynamicHeaders(to request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest) -> Void) {
    guard plugins.headerProvider != nil else { return completion(request) }
    dynamicHeaders(for: request.shown) { dynamic in
      var request = request
      for header in dynamic { request.headers.set(header.name, header.value) }
      completion(request)
    }
  }
}
