internal import CCurl
internal import Glibc

/// libcurl before 8.11 makes the descriptors of `curl_multi_wakeup` without close-on-exec, and does
/// not say which they are. They are found by what they do: of the descriptors that appeared, those
/// that fill with every wake-up and are empty after a poll.
enum WakeupDescriptors {
  private static let folder = "/proc/self/fd"

  /// - Parameter make: `curl_multi_init`.
  static func closingOnExec(_ make: () -> UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let before = openDescriptors()
    guard let multi = make() else { return nil }
    guard let before, let after = openDescriptors() else { return multi }
    let fresh = after.subtracting(before).filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
    let empty = fresh.filter { load(of: $0) == 0 }
    guard !empty.isEmpty else { return multi }
    _ = shim_curl().pointee.multi_wakeup(multi)
    let loaded = empty.filter { load(of: $0) > 0 }
    _ = shim_curl_multi_wait(multi, -1, 0)
    for descriptor in loaded where load(of: descriptor) == 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    return multi
  }

  /// Bytes that wait in a pipe or socket, on whichever side this end is.
  private static func load(of descriptor: Int32) -> Int32 {
    var received: Int32 = 0
    var sent: Int32 = 0
    if ioctl(descriptor, UInt(FIONREAD), &received) != 0 { received = 0 }
    if ioctl(descriptor, UInt(TIOCOUTQ), &sent) != 0 { sent = 0 }
    return max(received, sent)
  }

  static func openDescriptors() -> Set<Int32>? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var found: Set<Int32> = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name), number != dirfd(directory) { found.insert(number) }
    }
    return found
  }
}
