/// Aligned columns; the last one takes what is left of the line and wraps.
struct Table {
  struct Cell {
    var text: String
    var color: Color?

    init(_ text: String, _ color: Color? = nil) {
      self.text = Display.oneLine(text)
      self.color = color
    }
  }

  private let header: [String]
  private var rows: [[Cell]] = []
  private static let gap = 2
  /// On a terminal, a column before the last is never wider than the first of these, and as narrow as the second
  /// where the last one would have less than `leastTail`.
  private static let widest = 40, narrowest = 12
  private static let leastTail = 20

  init(_ header: [String]) { self.header = header }

  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  func show(on terminal: Terminal = .output) {
    for line in lines(width: terminal.width, hasColor: terminal.hasColor) { Output.line(line) }
  }

  func lines(width: Int?, hasColor: Bool) -> [String] {
    let all = [header.map { Cell($0, .bold) }] + rows
    let whole = header.indices.map { column in
      all.map { $0.indices.contains(column) ? $0[column].text.count : 0 }.max() ?? 0
    }
    let widths = width.map { Self.fitting(whole, into: $0) } ?? whole
    let before = Self.indent(widths)
    let last = width.map { max(Self.leastTail, $0 - before) } ?? Int.max
    return all.flatMap { lines(of: $0, widths, indent: before, last: last, hasColor) }
  }

  private static func indent(_ widths: [Int]) -> Int { widths.dropLast().reduce(0) { $0 + $1 + gap } }

  private static func fitting(_ whole: [Int], into width: Int) -> [Int] {
    var limit = widest
    while limit > narrowest, indent(whole.map { min($0, limit) }) + leastTail > width { limit -= 1 }
    return whole.map { min($0, limit) }
  }

  private func lines(of row: [Cell], _ widths: [Int], indent: Int, last: Int, _ hasColor: Bool) -> [String] {
    var line = ""
    for (cell, width) in zip(row.dropLast(), widths) {
      let text = Display.shortened(cell.text, to: width)
      line += painted(text, cell.color, hasColor)
      line += String(repeating: " ", count: width - text.count + Self.gap)
    }
    guard let tail = row.last else { return [line] }
    let pieces = Self.wrapped(tail.text, to: last)
    let margin = String(repeating: " ", count: indent)
    return pieces.enumerated().map { at, piece in
      let text = (at == 0 ? line : margin) + painted(piece, tail.color, hasColor)
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
  }

  private func painted(_ text: String, _ color: Color?, _ hasColor: Bool) -> String {
    guard hasColor, let color, !text.isEmpty else { return text }
    return color.apply(text)
  }

  /// Lines of whole words; a word that is longer than a line is cut.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      var rest = word
      while rest.count > width {
        lines.append(String(rest.prefix(width)))
        rest = rest.dropFirst(width)
      }
      line += line.isEmpty ? String(rest) : " " + rest
    }
    return lines + [line]
  }
}
