import Glibc
import Testing

/// A listening port whose queue is full: the system lets further connections wait, unanswered.
final class UnansweringHost: @unchecked Sendable {
  let port: UInt16
  private var descriptors: [Int32] = []

  init() throws {
    let (listener, port) = try LoopbackServer.listen(backlog: 0)
    self.port = port
    descriptors = [listener]
    // Until one of them is left waiting.
    for _ in 0..<64 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      descriptors.append(descriptor)
      _ = LoopbackServer.connect(descriptor, toPort: port)
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&waiting, 1, 200) == 0 { return }
    }
    close()
    throw NotFull()
  }

  struct NotFull: Error {}

  var origin: String { "http://127.0.0.1:\(port)" }

  func close() {
    for descriptor in descriptors { Glibc.close(descriptor) }
    descriptors = []
  }
}
