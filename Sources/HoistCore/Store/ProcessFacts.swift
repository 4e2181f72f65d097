internal import Glibc
internal import HoistBase

/// What `/proc` says about this process and others.
struct ProcessFacts: Sendable {
  var boot = ""
  var namespace = ""
  var process: Int32
  var started: UInt64 = 0

  /// Of the calling process; read again in a forked child, which is another process.
  static var current: ProcessFacts {
    let generation = ForkGeneration.current
    return cache.lock.withLock {
      if let known = cache.facts, cache.generation == generation { return known }
      let facts = read()
      cache.facts = facts
      cache.generation = generation
      return facts
    }
  }

  /// Whether the process that had this id and start time is still running.
  static func liveness(of process: Int32, started: UInt64) -> OwnerIdentity.Liveness {
    if kill(process, 0) != 0 && errno == ESRCH { return .dead }
    guard let status = status(of: process) else { return .unknown }
    // The id was given to another process since.
    if status.started != started { return .dead }
    // A zombie: killed, and its parent has not looked yet. While other threads of it run, the
    // first one alone has ended.
    if (status.state == "Z" || status.state == "X") && status.threads <= 1 { return .dead }
    return .alive
  }

  private final class Cache: @unchecked Sendable {
    let lock = Lock()
    var facts: ProcessFacts?
    var generation: UInt32 = 0
  }
  private static let cache = Cache()

  private static func read() -> ProcessFacts {
    var facts = ProcessFacts(process: getpid())
    // A /proc of another process namespace would speak of other processes under our ids.
    guard link("/proc/self") == String(facts.process) else { return facts }
    facts.started = status(of: facts.process)?.started ?? 0
    facts.boot = word(file("/proc/sys/kernel/random/boot_id"))
    // pid:[4026531836]
    facts.namespace = word(link("/proc/self/ns/pid"))
    return facts
  }

  private struct Status {
    var state: Character
    var threads: Int
    var started: UInt64
  }

  /// `/proc/PID/stat`: fields 3, 20 and 22. Field 2, the name, may hold blanks and parentheses.
  private static func status(of process: Int32) -> Status? {
    let text = file("/proc/\(process)/stat")
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].dropFirst().split(separator: " ")
    guard fields.count > 19, let state = fields[0].first, let threads = Int(fields[17]),
      let started = UInt64(fields[19])
    else { return nil }
    return Status(state: state, threads: threads, started: started)
  }

  /// Letters, digits and dashes only: the parts of an identity are joined by points.
  private static func word(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || "0"..."9" ~= $0) })
  }

  private static func link(_ path: String) -> String {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      guard let base = buffer.bindMemory(to: CChar.self).baseAddress else { return "" }
      let count = readlink(path, base, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }

  private static func file(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { _ = close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
