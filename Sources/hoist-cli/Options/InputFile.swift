import Glibc

/// Small files and pipes that options name.
enum InputFile {
  private static let limitBytes = 1 << 20

  /// - Parameter path: "-" for standard input.
  static func read(_ path: String, for option: String) throws -> [UInt8] {
    let isStandardInput = path == "-"
    let descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(option, path, errno) }
    defer { if !isStandardInput { close(descriptor) } }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(option, path, errno) }
      if count == 0 { return content }
      content += piece.prefix(count)
      guard content.count <= limitBytes else {
        throw Problem(.configuration, "\(option) \(path): is larger than \(limitBytes) bytes")
      }
    }
  }

  private static func failure(_ option: String, _ path: String, _ code: Int32) -> Problem {
    Problem(.configuration, "\(option) \(path): cannot be read: \(String(cString: strerror(code)))")
  }
}
