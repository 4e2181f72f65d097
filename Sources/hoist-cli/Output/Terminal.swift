import Glibc

/// What is known of the terminal, if there is one.
struct Terminal {
  let descriptor: Int32

  static let output = Terminal(descriptor: STDOUT_FILENO)
  static let errors = Terminal(descriptor: STDERR_FILENO)

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Whether it moves its cursor.
  var isPresent: Bool { isTerminal && Self.variable("TERM") != "dumb" }

  /// https://no-color.org: any value that is not empty switches colour off.
  var hasColor: Bool { isPresent && Self.variable("NO_COLOR") == nil }

  /// Columns; nil when the output is no terminal, so that a pipe gets whole texts.
  var width: Int? {
    guard isPresent else { return nil }
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return max(40, Int(size.ws_col)) }
    return Self.variable("COLUMNS").flatMap { Int($0) }.map { max(40, $0) } ?? 80
  }

  /// nil for what is unset or empty.
  static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

/// The few colours in use.
enum Color: String {
  case green = "32", yellow = "33", red = "31", faint = "2", bold = "1"

  func apply(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
