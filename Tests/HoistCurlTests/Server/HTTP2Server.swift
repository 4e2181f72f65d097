import Foundation

/// Speaks HTTP/2 over TLS and nothing else (`openssl s_server` does the TLS): answers the first request with 200 and
/// a body.
final class HTTP2Server {
  private let process = Process()
  let port: UInt16

  init(of authority: TestAuthority, body: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-alpn", "h2", "-cert", authority.path("server.pem"),
      "-key", authority.path("server.key"),
    ]
    let (received, sent) = (Pipe(), Pipe())
    process.standardOutput = received
    process.standardError = FileHandle.nullDevice
    process.standardInput = sent
    try process.run()
    let (input, output) = (received.fileHandleForReading, sent.fileHandleForWriting)
    port = try TLSServer.port(saidBy: input)
    Thread { Self.serve(input, output, body) }.start()
  }

  var origin: String { "https://127.0.0.1:\(port)" }

  func stop() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// What a client says first (RFC 9113, 3.4).
  private static let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let (data, headers, settings): (UInt8, UInt8, UInt8) = (0, 1, 4)

  private static func serve(_ input: FileHandle, _ output: FileHandle, _ body: String) {
    var received = Data()
    while true {
      let bytes = input.availableData
      guard !bytes.isEmpty else { return }
      received += bytes
      // Before it, s_server describes the connection.
      guard let start = received.range(of: preface)?.upperBound,
        let stream = streamOfRequest(Array(received[start...]))
      else { continue }
      // `:status: 200` is the eighth entry of the static table (RFC 7541, appendix A).
      output.write(frame(settings, flags: 0, stream: [0, 0, 0, 0], []))
      output.write(frame(headers, flags: 4, stream: stream, [0x88]))
      output.write(frame(data, flags: 1, stream: stream, Array(body.utf8)))
      return
    }
  }

  /// The stream that the first whole frame of headers opens.
  private static func streamOfRequest(_ bytes: [UInt8]) -> [UInt8]? {
    var position = 0
    while position + 9 <= bytes.count {
      let length = Int(bytes[position]) << 16 | Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
      guard position + 9 + length <= bytes.count else { return nil }
      if bytes[position + 3] == headers { return Array(bytes[(position + 5)..<(position + 9)]) }
      position += 9 + length
    }
    return nil
  }

  private static func frame(_ type: UInt8, flags: UInt8, stream: [UInt8], _ payload: [UInt8]) -> Data {
    let length = payload.count
    let head = [UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags]
    return Data(head + stream + payload)
  }
}
