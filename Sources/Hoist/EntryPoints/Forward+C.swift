public import CHoist
internal import HoistCore

/// Of a body.
private let mostBytes = 64 << 20

@_cdecl("hoist_client_forward") @implementation
public func hoist_client_forward(
  _ client: OpaquePointer?, _ batch: UnsafePointer<hoist_forward_batch>?, _ done: hoist_forwarded?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer {
    guard let done, let given = HostTable.read(batch) else { return .argument }
    let data = UserData(user_data)
    return try ClientHandle.need(client).forward(read(given)) { result in tell(result) { done(data.pointer, $0) } }
  }
}

private func read(_ given: hoist_forward_batch) throws(Refusal) -> ForwardedBatch {
  guard given.body_size <= mostBytes, let body = given.body ?? (given.body_size == 0 ? UnsafeRawPointer(bitPattern: 1) : nil)
  else { throw Refusal(.argument, "its body is NULL, or too large") }
  return ForwardedBatch(
    service: try CString.need(given.service, "service"), keyDigest: try CString.need(given.key_hash, "key_hash"),
    pipeline: try CString.need(given.pipeline, "pipeline"), method: try CString.need(given.method, "method"),
    path: try CString.need(given.path, "path"), id: try CString.need(given.id, "id"),
    body: Array(UnsafeRawBufferPointer(start: body, count: given.body_size)))
}

private func tell(_ result: ForwardResult, _ body: (UnsafePointer<hoist_forward_result>) -> Void) {
  let message = CText(result.message)
  result.refused.withUnsafeBytes { refused in
    let isEmpty = refused.isEmpty
    var told = hoist_forward_result(
      struct_size: MemoryLayout<hoist_forward_result>.size, status: result.status.rawValue, message: message.pointer,
      refused: isEmpty ? nil : refused.baseAddress, refused_size: refused.count)
    withExtendedLifetime(message) { body(&told) }
  }
}
