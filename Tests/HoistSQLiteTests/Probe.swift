import Glibc

/// Runs the probe program, plainly or under a tracer that interferes.
struct Probe {
  let folder: String

  /// The program that the package builds beside the tests.
  static let program: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, 4095)
    let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    // Swift's test helper lives elsewhere; the bundle it loads is named in its arguments.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
    let beside = bundle?.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    return (access(folder + "/hoist-store-probe", X_OK) == 0 ? folder : beside ?? folder) + "/hoist-store-probe"
  }()

  /// Whether a tracer may be used here: some containers forbid it.
  static let canTrace = Shell.run("strace -o /dev/null true && echo yes") == "yes"

  /// How long the loops of the crash tests are: more where time does not matter.
  static let rounds = environment("HOIST_TEST_ROUNDS").flatMap { Int($0) } ?? 3

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  struct Result {
    var lines: [String]
    var status: String
    /// What follows `prefix` in the lines that begin so.
    func all(_ prefix: String) -> [String] {
      lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
  }

  /// - Parameter inject: a rule of `strace -e inject=`, e.g. `pwrite64:signal=KILL:when=3`.
  func run(_ command: String, inject: String? = nil) -> Result {
    let tracer =
      inject.map { rule in
        let call = rule.prefix { $0 != ":" }
        return "strace -f -o /dev/null -e trace=\(call) -e inject=\(rule) "
      } ?? ""
    let arguments = command.split(separator: " ", maxSplits: 1)
    let rest = arguments.count > 1 ? " " + arguments[1] : ""
    let output = Shell.run("\(tracer)'\(Self.program)' \(arguments.first ?? "") '\(folder)'\(rest); echo \"status $?\"")
    let lines = output.split(separator: "\n").map(String.init)
    return Result(lines: lines, status: lines.last { $0.hasPrefix("status ") } ?? "")
  }
}

enum Shell {
  /// Starts a program without waiting for it.
  static func spawn(_ arguments: [String]) -> pid_t {
    var child: pid_t = -1
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    guard posix_spawnp(&child, pointers[0] ?? strdup(""), nil, nil, &pointers, environ) == 0 else { return -1 }
    return child
  }

  /// The output of a command, errors included, without the last line breaks.
  static func run(_ command: String) -> String {
    guard let pipe = popen("{ \(command); } 2>&1", "r") else { return "" }
    defer { pclose(pipe) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      output += buffer[..<count]
    }
    while output.last == 10 { output.removeLast() }
    return String(decoding: output, as: UTF8.self)
  }
}
