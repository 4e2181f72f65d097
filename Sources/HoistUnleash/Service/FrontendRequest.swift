internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How a frontend fetch is asked for (protocol B.2, rows UNL-03, UNL-77).
enum FrontendRequest {
  /// A longer URL is sent as POST: servers and proxies cut or refuse them.
  static let maximumURLBytes = 8192

  static func make(_ options: UnleashSettings, url: URLText, _ context: FrontendContext, headers: [HTTPHeader]) -> HTTPRequest {
    var request: HTTPRequest
    let get = options.usesPOST ? nil : getURL(url, context)
    if let get, get.utf8.count <= maximumURLBytes {
      request = HTTPRequest(method: "GET", url: get, headers: headers)
    } else {
      request = HTTPRequest(method: "POST", url: url.replacingQuery(pairs: []).text, headers: headers, body: body(context))
    }
    request.connectTimeoutMilliseconds = options.connectTimeoutMilliseconds
    request.timeoutMilliseconds = options.timeoutMilliseconds
    request.maximumResponseBytes = options.maximumResponseBytes
    return request
  }

  /// The path as given; a query of the URL's own is replaced.
  static func getURL(_ url: URLText, _ context: FrontendContext) -> String {
    url.replacingQuery(pairs: pairs(context)).text
  }

  static func pairs(_ context: FrontendContext) -> [(name: String, value: String)] {
    context.fields + context.properties.sorted { $0.key < $1.key }.map { ("properties[\($0.key)]", $0.value) }
  }

  static func body(_ context: FrontendContext) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("context")
      writer.object { writer in
        for (name, value) in context.fields {
          writer.key(name)
          writer.string(value)
        }
        writer.key("properties")
        writer.object { writer in
          for (name, value) in context.properties.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.string(value)
          }
        }
      }
    }
    return writer.bytes
  }
}
