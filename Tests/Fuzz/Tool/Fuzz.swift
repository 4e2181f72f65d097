import FuzzTargets
import Glibc

/// `hoist-fuzz TARGET FILE…` runs files; linked with libFuzzer (see `Tests/Fuzz/run`) it searches for new ones:
/// `hoist-fuzz TARGET [libFuzzer's options] FOLDER…`.
@main
enum Fuzz {
  /// Set before the first input.
  nonisolated(unsafe) private static var target = FuzzTarget.json

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, let chosen = FuzzTarget(rawValue: arguments[1]) else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
      complain("usage: hoist-fuzz TARGET FILE…; the targets are \(names)", 2)
    }
    target = chosen
    if let symbol = dlsym(nil, "LLVMFuzzerRunDriver") {
      exit(search(unsafeBitCast(symbol, to: Driver.self), [arguments[0]] + arguments.dropFirst(2)))
    }
    for path in arguments.dropFirst(2) {
      guard let bytes = contents(of: path) else { complain("cannot read \(path)", 1) }
      _ = bytes.withUnsafeBufferPointer { examine($0.baseAddress, $0.count) }
    }
  }

  private typealias Examine = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  private typealias Driver =
    @convention(c) (
      UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>, Examine
    ) -> Int32

  private static func search(_ driver: Driver, _ words: [String]) -> Int32 {
    // Never freed: the driver keeps them.
    let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
    arguments.initialize(repeating: nil, count: words.count + 1)
    for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
    var count = Int32(words.count)
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    return driver(&count, &start, examine)
  }

  /// One input; what does not hold ends the process, as libFuzzer expects.
  private static let examine: Examine = { start, count in
    guard let problem = target.run(UnsafeRawBufferPointer(start: start, count: count)) else { return 0 }
    say("\(target.rawValue): \(problem)")
    abort()
  }

  private static func complain(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  private static func say(_ message: String) {
    let line = Array((message + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  private static func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    return bytes
  }
}
