public import Glibc

/// Runs code in a forked child of the test process, and tells how it ended.
///
/// Only the forking thread lives on in the child, so `body` may use nothing that waits for another
/// thread of the parent. A child that hangs is killed after the limit and reported.
public enum ForkedChild {
  public enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    case hung
    /// There was no such child, or not any more.
    case notForked
  }

  /// False under the thread sanitizer, which supports no new threads in a child of several threads:
  /// its own locks may be held by threads that the child does not have.
  public static let isSupported = dlsym(nil, "__tsan_init") == nil

  /// - Parameter body: its result is the child's exit status.
  public static func start(_ body: () -> Int32) -> pid_t {
    // Swift hides the function's name, not the function.
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 { _exit(body()) }
    return child
  }

  public static func wait(_ child: pid_t, limitMilliseconds: Int = 20_000) -> Ending {
    guard child > 0 else { return .notForked }
    var status: Int32 = 0
    for _ in 0..<limitMilliseconds {
      let ended = waitpid(child, &status, WNOHANG)
      if ended < 0 { return .notForked }
      if ended == child { return status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: status & 0x7f) }
      usleep(1_000)
    }
    kill(child, SIGKILL)
    waitpid(child, &status, 0)
    return .hung
  }

  /// When a process began, in clock ticks since the boot.
  public static func started(_ process: pid_t) -> UInt64 {
    var buffer = [CChar](repeating: 0, count: 1024)
    guard let stream = fopen("/proc/\(process)/stat", "r") else { return 0 }
    defer { fclose(stream) }
    guard fgets(&buffer, 1024, stream) != nil else { return 0 }
    let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(separator: ")").last.flatMap { UInt64($0.split(separator: " ")[19]) } ?? 0
  }

  public static func run(_ body: () -> Int32) -> Ending { wait(start(body)) }
}
