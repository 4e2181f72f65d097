internal import Glibc

/// Reading whole small files that the host names.
public enum FileContent {
  public struct Failure: Error, Sendable {
    public var message: String
  }

  /// - Parameter doubt: gets a line for the log that names the path, where other users may change the file.
  /// - Throws: a line that names the path and what is wrong with it.
  public static func read(path: String, limitBytes: Int, doubt: (String) -> Void = { _ in }) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(message: "cannot open \"\(path)\": \(errorText(errno))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(message: "\"\(path)\" is not a regular file")
    }
    if status.st_uid != geteuid() && status.st_uid != 0 {
      doubt("\"\(path)\" belongs to another user, who may change it; let it belong to the user of this process, or to root")
    } else if status.st_mode & S_IWOTH != 0 {
      doubt("\"\(path)\" may be changed by everybody; take that right away (chmod o-w)")
    }
    guard status.st_size <= limitBytes else {
      throw Failure(message: "\"\(path)\" has \(status.st_size) bytes; the limit is \(limitBytes)")
    }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while content.count <= limitBytes {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(message: "cannot read \"\(path)\": \(errorText(errno))")
      }
      if count == 0 { return content }
      content.append(contentsOf: chunk[..<count])
    }
    throw Failure(message: "\"\(path)\" grew beyond \(limitBytes) bytes while it was read")
  }

  private static func errorText(_ number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
