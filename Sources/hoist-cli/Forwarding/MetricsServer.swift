import Glibc

/// One page over HTTP for this machine alone. It never waits: each step does what can be done at once.
final class MetricsServer {
  private static let maximumConnections = 16
  private static let maximumRequestBytes = 8_192
  /// A reader that takes longer is given up.
  private static let limitMilliseconds: Int64 = 5_000

  private struct Connection {
    let descriptor: Int32
    let endsAt: Int64
    var request: [UInt8] = []
    /// What is still to be written; nil while the request is read.
    var answer: ArraySlice<UInt8>?
  }

  private let listener: Int32
  private var connections: [Connection] = []
  let port: Int

  /// - Parameter port: 0 for any that is free.
  init(port: Int) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else {
      let reason = String(cString: strerror(errno))
      close(listener)
      throw Problem(.configuration, "--metrics \(port): cannot listen on 127.0.0.1: \(reason)")
    }
    self.listener = listener
    self.port = Int(in_port_t(bigEndian: address.sin_port))
  }

  deinit {
    for connection in connections { close(connection.descriptor) }
    close(listener)
  }

  /// - Parameter page: asked for when a request for it is complete.
  func step(_ page: () -> String) {
    while let descriptor = accepted() {
      // The one that has had its time longest makes room.
      if connections.count == Self.maximumConnections { close(connections.removeFirst().descriptor) }
      connections.append(Connection(descriptor: descriptor, endsAt: Moment.monotonicMilliseconds + Self.limitMilliseconds))
    }
    let now = Moment.monotonicMilliseconds
    var kept: [Connection] = []
    for var connection in connections {
      if now < connection.endsAt, goesOn(&connection, page) { kept.append(connection) } else { close(connection.descriptor) }
    }
    connections = kept
  }

  private func accepted() -> Int32? {
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
  }

  private func goesOn(_ connection: inout Connection, _ page: () -> String) -> Bool {
    if connection.answer == nil {
      guard read(&connection) else { return false }
      connection.answer = Self.answer(to: connection.request, page).map { Array($0.utf8)[...] }
    }
    guard let rest = connection.answer else { return true }
    let count = rest.withUnsafeBytes { send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard count > 0 else { return Self.isForLater }
    connection.answer = rest.dropFirst(count)
    return count < rest.count
  }

  private func read(_ connection: inout Connection) -> Bool {
    var piece = [UInt8](repeating: 0, count: 2 * Self.maximumRequestBytes)
    let count = recv(connection.descriptor, &piece, piece.count, 0)
    guard count > 0 else { return count < 0 && Self.isForLater }
    connection.request += piece.prefix(count)
    return true
  }

  private static var isForLater: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }

  /// nil while the request goes on.
  private static func answer(to request: [UInt8], _ page: () -> String) -> String? {
    let text = String(decoding: request, as: UTF8.self)
    guard text.utf8.count <= maximumRequestBytes else { return response("431 Request Header Fields Too Large", "too large\n") }
    let end = Array("\r\n\r\n".utf8)
    guard request.indices.contains(where: { request[$0...].starts(with: end) }) else { return nil }
    let words = text.prefix { !$0.isNewline }.split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return response("400 Bad Request", "no request of HTTP/1\n") }
    guard words[1] == "/metrics" || words[1].hasPrefix("/metrics?") else { return response("404 Not Found", "see /metrics\n") }
    switch words[0] {
    case "GET": return response("200 OK", page(), type: MetricsPage.contentType)
    case "HEAD": return response("200 OK", "", type: MetricsPage.contentType)
    default: return response("405 Method Not Allowed", "GET only\n", more: "Allow: GET, HEAD\r\n")
    }
  }

  private static func response(_ status: String, _ body: String, type: String = "text/plain; charset=utf-8", more: String = "")
    -> String
  {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(more)\r\n\(body)"
  }
}
