import Glibc

/// What the command says: answers on standard output, everything else on standard error. Nothing is buffered.
enum Output {
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  static func json(_ value: JSON) { line(value.text) }

  static func error(_ text: String) { write(Display.oneLine(text) + "\n", to: STDERR_FILENO) }

  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    let isWritten = text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(descriptor, start, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
      return true
    }
    if !isWritten, descriptor == STDOUT_FILENO {
      Problem(.configuration, "standard output cannot be written: \(String(cString: strerror(errno)))").end()
    }
  }
}

/// Making foreign text fit for a terminal.
enum Display {
  /// Without control characters: a flag's value must not steer the terminal.
  static func oneLine(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A, 0x0D, 0x09: shown.append(" ")
      case _ where steers(scalar): shown.append("\u{FFFD}")
      default: shown.append(scalar)
      }
    }
    return String(shown)
  }

  /// Whether a terminal takes it for more than a sign: a control character, or one that turns the direction of what follows.
  static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Without user, password and query, which may be secrets.
  static func url(_ url: String) -> String {
    if url.isEmpty { return "" }
    let plain = url.prefix { $0 != "?" && $0 != "#" }
    let parts = plain.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, parts[1].isEmpty, let host = parts[2].split(separator: "@").last else { return "(invalid URL)" }
    return "\(parts[0])//" + ([host] + parts.dropFirst(3)).joined(separator: "/")
  }

  static func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }
}
