import Glibc
import HoistBase
import Testing

/// A request as it came over the wire.
struct ReceivedRequest: Sendable, Equatable {
  var line: String
  /// The header lines as they stood, without line ends.
  var headers: [String]
  var body: [UInt8]

  var method: String { String(line.prefix { $0 != " " }) }
  var target: String { String(line.split(separator: " ").dropFirst().first ?? "") }

  func header(_ name: String) -> String? {
    for header in headers {
      guard let colon = header.firstIndex(of: ":") else { continue }
      if header[..<colon].lowercased() == name.lowercased() {
        return String(header[header.index(after: colon)...].drop { $0 == " " })
      }
    }
    return nil
  }
}

/// A server on 127.0.0.1 and a port of the system's choice that does, connection by connection, what
/// its script says; each connection has a thread of its own. Descriptors close on exec.
final class LoopbackServer: @unchecked Sendable {
  typealias Script = @Sendable (LoopbackConnection) -> Void

  let port: UInt16
  private let listener: Int32
  private let lock = Lock()
  private var open: [LoopbackConnection] = []
  private var accepted = 0
  private var received: [ReceivedRequest] = []

  init(_ script: @escaping Script) throws {
    (listener, port) = try Self.listen()
    let isRunning = HoistBase.Thread.start(name: "test-server") { self.serve(script) }
    try #require(isRunning)
  }

  /// Answers every request of every connection, keeping connections alive.
  static func answering(_ answer: @escaping @Sendable (ReceivedRequest) -> String) throws -> LoopbackServer {
    try LoopbackServer { connection in
      while let request = connection.readRequest() { connection.send(answer(request)) }
    }
  }

  var origin: String { "http://127.0.0.1:\(port)" }
  var requests: [ReceivedRequest] { lock.withLock { received } }
  var connectionCount: Int { lock.withLock { accepted } }

  /// Ends the server and whatever waits on its connections.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    let left = lock.withLock {
      defer { open = [] }
      return open
    }
    for connection in left { connection.shutDown() }
  }

  fileprivate func note(_ request: ReceivedRequest) {
    lock.withLock { received.append(request) }
  }

  static func listen(backlog: Int32 = 64) throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(listener >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        try #require(bind(listener, generic, length) == 0)
        try #require(Glibc.listen(listener, backlog) == 0)
        try #require(getsockname(listener, generic, &length) == 0)
      }
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  static func connect(_ descriptor: Int32, toPort port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private func serve(_ script: @escaping Script) {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else {
        close(listener)
        return
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let connection = LoopbackConnection(descriptor, self)
      lock.withLock {
        open.append(connection)
        accepted += 1
      }
      _ = HoistBase.Thread.start(name: "test-connection") {
        script(connection)
        connection.close()
      }
    }
  }
}

/// The server's end of one connection.
final class LoopbackConnection: @unchecked Sendable {
  private let descriptor: Int32
  /// A connection's thread may outlive the test.
  private let server: LoopbackServer
  private let lock = Lock()
  private var isClosed = false
  private var unread: [UInt8] = []

  fileprivate init(_ descriptor: Int32, _ server: LoopbackServer) {
    self.descriptor = descriptor
    self.server = server
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// The next request with its body; `nil` once the client has closed.
  func readRequest() -> ReceivedRequest? {
    guard let head = readHead() else { return nil }
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    var request = ReceivedRequest(line: lines[0], headers: lines.dropFirst().filter { !$0.isEmpty }, body: [])
    let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
    while unread.count < length { guard readMore() else { return nil } }
    request.body = Array(unread.prefix(length))
    unread.removeFirst(length)
    server.note(request)
    return request
  }

  /// The first record of a client that speaks TLS.
  func readRecord() -> [UInt8]? {
    while unread.count < 5 || unread.count < 5 + Int(unread[3]) << 8 + Int(unread[4]) { guard readMore() else { return nil } }
    return Array(unread)
  }

  /// - Returns: false when the client does not take it any more.
  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits until the client has closed its end.
  func waitForClose() { while readMore() {} }

  /// Hands bytes through to and from another server until either side closes: what a proxy does
  /// after CONNECT.
  func tunnel(toPort port: UInt16) {
    let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { Glibc.close(other) }
    guard LoopbackServer.connect(other, toPort: port) else { return }
    send("HTTP/1.1 200 Connection established\r\n\r\n")
    var ends = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0)]
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while poll(&ends, 2, 30_000) > 0 {
      for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
        let count = recv(ends[from].fd, &buffer, buffer.count, 0)
        guard count > 0, Glibc.send(ends[to].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
      }
    }
  }

  /// Ends the connection with a reset instead of a close.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    close()
  }

  func close() {
    lock.withLock {
      if !isClosed { Glibc.close(descriptor) }
      isClosed = true
    }
  }

  /// Wakes whoever reads or writes, and leaves closing to the connection's thread.
  fileprivate func shutDown() {
    lock.withLock { if !isClosed { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  private func readHead() -> String? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let at = (0..<max(0, unread.count - 3)).first(where: { unread[$0..<($0 + 4)].elementsEqual(end) }) {
        defer { unread.removeFirst(at + 4) }
        return String(decoding: unread[..<at], as: UTF8.self)
      }
      guard readMore() else { return nil }
    }
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread += buffer[..<count]
    return true
  }
}

/// An answer of the usual kind.
func answer(_ status: String = "200 OK", headers: [String] = [], _ body: String = "") -> String {
  (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers).joined(separator: "\r\n") + "\r\n\r\n" + body
}
