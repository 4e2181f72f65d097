import Glibc

/// Small files and pipes that options name.
enum InputFile {
  private static let limitBytes = 1 << 20
  /// Files that were warned of. The tool has one thread.
  nonisolated(unsafe) private static var doubted: Set<String> = []

  /// - Parameter path: "-" for standard input.
  static func read(_ path: String, for option: String) throws -> [UInt8] {
    let isStandardInput = path == "-"
    let descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(option, path, errno) }
    defer { if !isStandardInput { close(descriptor) } }
    warn(of: path, descriptor, option)
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

  /// As the library warns of the files that it reads itself.
  private static func warn(of path: String, _ descriptor: Int32, _ option: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let isForeign = status.st_uid != geteuid() && status.st_uid != 0
    guard isForeign || status.st_mode & S_IWOTH != 0, doubted.insert(path).inserted else { return }
    Output.error(
      "hoist: \(option) \(path): " + (isForeign ? "belongs to another user, who may change it" : "may be changed by everybody"))
  }

  private static func failure(_ option: String, _ path: String, _ code: Int32) -> Problem {
    Problem(.configuration, "\(option) \(path): cannot be read: \(String(cString: strerror(code)))")
  }
}
