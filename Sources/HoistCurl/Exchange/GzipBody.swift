internal import CZlib
internal import HoistCore

/// Bodies that are sent compressed.
enum GzipBody {
  /// The request with its body as gzip, and the header for it; unchanged when it wants none, or memory is short.
  static func applied(to request: HTTPRequest) -> HTTPRequest {
    guard request.compressesBody, let body = request.body, !body.isEmpty, let packed = pack(body) else { return request }
    var request = request
    request.body = packed
    request.headers.set("Content-Encoding", "gzip")
    return request
  }

  private static func pack(_ body: [UInt8]) -> [UInt8]? {
    let room = shim_gzip_room(body.count)
    guard room > 0 else { return nil }
    let packed = [UInt8](unsafeUninitializedCapacity: room) { target, count in
      count = body.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress, let start = target.baseAddress else { return 0 }
        return shim_gzip(source, bytes.count, start, room)
      }
    }
    return packed.isEmpty ? nil : packed
  }
}
