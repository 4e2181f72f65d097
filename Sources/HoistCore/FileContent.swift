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
    var count = 1
    // At once into its place: an array that grows would be copied again and again.
    var content = [UInt8](unsafeUninitializedCapacity: max(0, Int(status.st_size))) { room, filled in
      let room = UnsafeMutableRawBufferPointer(room)
      while filled < room.count, count > 0 {
        count = read(descriptor, into: room[filled...])
        filled += max(0, count)
      }
    }
    var chunk = [UInt8](repeating: 0, count: 4096)
    while content.count <= limitBytes, count > 0 {
      count = chunk.withUnsafeMutableBytes { read(descriptor, into: $0[...]) }
      content.append(contentsOf: chunk[..<max(0, count)])
    }
    if count < 0 { throw Failure(message: "cannot read \"\(path)\": \(errorText(errno))") }
    if count == 0 { return content }
    throw Failure(message: "\"\(path)\" grew beyond \(limitBytes) bytes while it was read")
  }

  private static func read(_ descriptor: Int32, into room: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    let room = UnsafeMutableRawBufferPointer(rebasing: room)
    while true {
      let count = Glibc.read(descriptor, room.baseAddress, room.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  private static func errorText(_ number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}

/// Which content a path leads to: another one where a file is written, or takes the place of the former.
public struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let node: UInt64
  private let bytes: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// - Returns: nil for what is not there.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
    (bytes, seconds, nanoseconds) = (Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
  }
}
