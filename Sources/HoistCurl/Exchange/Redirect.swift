internal import HoistCore

/// Redirects by the rules of the Fetch standard (4.4, "HTTP-redirect fetch"), with stricter ones about
/// credentials. Not left to libcurl, which takes only the headers it knows away from another host.
enum Redirect {
  /// Where an answer sends us; `nil` when it is to be handed on as it is.
  static func target(of head: ResponseHead, _ options: NetworkOptions) -> String? {
    guard options.maximumRedirects > 0, [301, 302, 303, 307, 308].contains(head.status) else { return nil }
    return head.headers.value(of: "Location")
  }

  /// The request that goes to the new address.
  static func request(_ old: HTTPRequest, status: Int, isSameOrigin: Bool) -> HTTPRequest {
    var new = old
    let becomesGet = status == 303 ? old.method != "GET" && old.method != "HEAD" : status < 303 && old.method == "POST"
    if becomesGet {
      new.method = "GET"
      new.body = nil
      new.headers = RequestHeaders.withoutBody(new.headers)
    }
    if !isSameOrigin { new.headers = RequestHeaders.withoutCredentials(new.headers) }
    return new
  }
}

extension Exchange {
  func follow(_ location: String, status: Int) {
    guard let old = url else { return }
    guard redirectsFollowed < settings.options.maximumRedirects else {
      return fail(.other, "more than \(settings.options.maximumRedirects) redirects")
    }
    guard let new = old.resolving(location) else {
      return fail(.invalidURL, "a redirect to what is no http or https address")
    }
    guard new.origin.isSecure || !old.origin.isSecure else {
      return fail(.other, "a redirect from https to http, which is not followed")
    }
    let isSameOrigin = new.origin == old.origin
    let next = Redirect.request(request, status: status, isSameOrigin: isSameOrigin)
    // Sent without it, the request would be accepted, and what it carries lost.
    guard isSameOrigin || next.body == nil else {
      return fail(.other, "a redirect to another origin, which no body is sent to; name that address in the configuration")
    }
    redirectsFollowed += 1
    request = next
    startTransfer(to: new)
  }
}
