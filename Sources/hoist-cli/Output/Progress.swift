import Glibc

/// One line on the terminal for what takes longer than a second, wiped when it is over.
struct Progress {
  private let what: String
  private let begin: Int64
  private var shown: Int64 = 0

  init(_ what: String) {
    self.what = Display.oneLine(what)
    begin = Moment.monotonicMilliseconds
  }

  /// To be called several times a second.
  mutating func tick() {
    let seconds = (Moment.monotonicMilliseconds - begin) / 1000
    guard seconds > shown, Terminal.errors.isPresent else { return }
    shown = seconds
    let line = Display.shortened("\(what) … \(seconds) s", to: (Terminal.errors.width ?? 80) - 1)
    Output.write("\r\u{1B}[K\(line)", to: STDERR_FILENO)
  }

  mutating func end() {
    if shown > 0 { Output.write("\r\u{1B}[K", to: STDERR_FILENO) }
    shown = 0
  }
}
