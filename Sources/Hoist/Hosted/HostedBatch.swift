internal import CHoist
internal import HoistBase
internal import HoistCore

/// Batches, requests and answers as C sees them, alive during one call.
enum HostedBatch {
  /// Has the plug-in make the request. On the lane.
  static func encode(
    _ batch: EventBatch, by instance: HostedInstance, _ limits: HostedRequestLimits
  ) -> Result<HTTPRequest, Status> {
    guard let encode = instance.table.members.encode else { return .failure(.argument) }
    let sink = RequestSink(limits)
    let status = with(batch) { batch in
      Handle.lend(sink) { encode(instance.pointer, batch, $0) }
    }
    guard status == Status.ok.rawValue else { return .failure(Status(rawValue: status)) }
    return sink.request.map { .success($0) } ?? .failure(.plugin)
  }

  /// Has the plug-in say what an answer means. On the lane.
  static func classify(
    _ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch, by instance: HostedInstance
  ) -> (status: Status, retryMilliseconds: Int64) {
    guard let classify = instance.table.members.classify else { return (.plugin, 0) }
    var retry: Int64 = 0
    let status = with(batch) { batch in
      HostedAnswer.with(answer) { classify(instance.pointer, batch, $0, &retry) }
    }
    return (Status(rawValue: status), retry)
  }

  private static func with(
    _ batch: EventBatch, _ body: (UnsafePointer<hoist_provider_batch>) -> hoist_status
  ) -> hoist_status {
    let (name, id) = (CText(batch.rows.first?.pipeline ?? ""), CText(batch.id))
    return withExtendedLifetime((name, id)) {
      HostRows.with(batch.rows) { rows, count in
        var told = hoist_provider_batch(
          struct_size: MemoryLayout<hoist_provider_batch>.size, pipeline: name.pointer, id: id.pointer,
          attempt: Int32(clamping: batch.attempt), rows: rows, row_count: count)
        return body(&told)
      }
    }
  }
}

enum HostedAnswer {
  static func with<Value>(
    _ answer: Result<HTTPResponse, TransportFailure>, _ body: (UnsafePointer<hoist_http_answer>) -> Value
  ) -> Value {
    var status = Status.ok
    var message = ""
    var response = HTTPResponse(status: 0)
    switch answer {
    case .success(let told): response = told
    case .failure(let failure): (status, message) = (failure.kind.status, failure.message)
    }
    let (line, content) = (CText(message), CText(response.body))
    return withExtendedLifetime((line, content)) {
      CHeaders.with(response.headers) { headers, count in
        var told = hoist_http_answer(
          struct_size: MemoryLayout<hoist_http_answer>.size, status: status.rawValue,
          http_status: Int32(clamping: response.status), headers: headers, header_count: count,
          body: UnsafeRawPointer(content.pointer), body_size: content.count, message: line.pointer)
        return body(&told)
      }
    }
  }
}

extension TransportFailure.Kind {
  fileprivate var status: Status {
    switch self {
    case .invalidURL: .argument
    case .timeout: .timeout
    case .tooLarge: .limit
    case .cancelled: .cancelled
    case .unreachable, .connectionReset, .tls, .other: .network
    }
  }
}

/// What a `hoist_request_sink` handle points at, during one call.
final class RequestSink {
  let limits: HostedRequestLimits
  var request: HTTPRequest?
  init(_ limits: HostedRequestLimits) { self.limits = limits }
}

extension HTTPRequest {
  /// A request of the plug-in's, checked; or why not.
  static func read(
    _ told: UnsafePointer<hoist_http_request>?, _ limits: HostedRequestLimits
  ) -> Result<HTTPRequest, Status> {
    guard let copy = HostTable.read(told), let url = CString.text(copy.url), !url.isEmpty, copy.timeout_ms >= 0,
      copy.body_size >= 0, copy.body_size <= maximumBodyBytes, copy.body != nil || copy.body_size == 0,
      let method = copy.method == nil ? "GET" : CString.text(copy.method), isToken(method),
      let headers = CHeaders.read(copy.headers, copy.header_count)
    else { return .failure(.argument) }
    guard !copy.is_stream else { return .failure(.unsupported) }
    var request = HTTPRequest(method: method, url: url, headers: headers)
    if let body = copy.body { request.body = Array(UnsafeRawBufferPointer(start: body, count: copy.body_size)) }
    request.timeoutMilliseconds = copy.timeout_ms > 0 ? copy.timeout_ms : limits.timeoutMilliseconds
    request.connectTimeoutMilliseconds = limits.connectTimeoutMilliseconds
    request.maximumResponseBytes = limits.maximumResponseBytes
    return .success(request)
  }

  private static let maximumBodyBytes = 64 << 20

  private static func isToken(_ method: String) -> Bool {
    (1...20).contains(method.utf8.count) && method.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
  }
}
