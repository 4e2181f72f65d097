import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport

/// A folder of its own for one test, removed at the end.
final class Scratch: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/hoist-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nonexistent"
    }
  }

  deinit { _ = run("chmod -R u+rwx '\(path)'; rm -rf '\(path)'") }

  /// The cache file that `manager()` uses.
  var file: String { path + "/cache/unleash-00ff.sqlite" }

  func manager(
    clock: any Clock = SystemClock(), change: (inout SQLiteCacheManager.Options) -> Void = { _ in },
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) -> SQLiteCacheManager {
    var options = SQLiteCacheManager.Options(folder: path + "/cache", vendor: "unleash", keyDigest: "00ff")
    change(&options)
    return SQLiteCacheManager(options: options, clock: clock, warn: warn)
  }

  /// Runs a shell command; `$F` is the cache file, `$D` its folder. Returns its output, trimmed.
  func run(_ command: String) -> String { Shell.run("F='\(file)'; D='\(path)/cache'; \(command)") }
}

/// A clock that stands until it is moved.
final class StillClock: Clock, @unchecked Sendable {
  private let lock = Lock()
  private var milliseconds: Int64 = 1_700_000_000_000
  var unixMilliseconds: Int64 { lock.withLock { milliseconds } }
  var monotonicNanoseconds: Int64 { lock.withLock { milliseconds * 1_000_000 } }
  func advance(milliseconds more: Int64) { lock.withLock { milliseconds += more } }
}

/// Lines that threads may add to.
final class Lines: @unchecked Sendable {
  private let lock = Lock()
  private var list: [String] = []
  var all: [String] { lock.withLock { list } }
  func add(_ line: String) { lock.withLock { list.append(line) } }
}

extension EventRow {
  static func test(
    _ id: String, pipeline: String = "events", subject: String = "", at: Int64 = 0, _ text: String = "payload"
  ) -> EventRow {
    EventRow(id: id, pipeline: pipeline, subject: subject, createdUnixMilliseconds: at, payload: Array(text.utf8))
  }
}

extension CacheManager {
  func claimAll(_ owner: EventOwner, pipeline: String = "events", rows: Int = 1_000, bytes: Int = 1 << 20) throws
    -> [String]
  {
    try claimEvents(pipeline: pipeline, maximumRows: rows, maximumBytes: bytes, owner: owner).map(\.id)
  }
}

/// An owner of which nothing is known, as from another machine: only its lease counts.
func stranger(_ number: Int, lease: Int64 = 60_000) -> EventOwner {
  EventOwner(id: "elsewhere-\(number)", leaseMilliseconds: lease)
}

/// Field 22 of `/proc/PID/stat`.
func startTime(of process: pid_t) -> String? {
  guard let stream = fopen("/proc/\(process)/stat", "r") else { return nil }
  defer { fclose(stream) }
  var buffer = [CChar](repeating: 0, count: 1024)
  guard fgets(&buffer, 1024, stream) != nil else { return nil }
  let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let fields = text.drop { $0 != ")" }.split(separator: " ")
  return fields.count > 20 ? String(fields[20]) : nil
}

func forked(_ body: () -> Int32) -> ForkedChild.Ending { ForkedChild.run(body) }
