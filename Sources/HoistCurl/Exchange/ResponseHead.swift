internal import HoistBase
internal import HoistCore

/// The header of a response, line by line from libcurl: interim responses (1xx) and trailers are skipped.
struct ResponseHead {
  private(set) var status = 0
  private(set) var headers: [HTTPHeader] = []
  /// True from the empty line that ends the header of a final answer.
  private(set) var isFinal = false

  /// - Parameter line: with its line end.
  mutating func take(_ line: UnsafeRawBufferPointer) {
    guard !isFinal else { return }
    var content = line[...]
    while let last = content.last, last == 0x0A || last == 0x0D { content = content.dropLast() }
    if content.starts(with: "HTTP/".utf8) {
      status = Self.status(of: content)
      headers = []
    } else if content.isEmpty {
      isFinal = status >= 200
    } else if let first = content.first, first == 0x20 || first == 0x09 {
      continueLast(with: content)
    } else if let colon = content.firstIndex(of: 0x3A) {
      let name = String(decoding: content[..<colon], as: UTF8.self)
      headers.append(HTTPHeader(name, Self.trimmed(content[colon...].dropFirst())))
    }
  }

  /// A line that begins with a blank continues the header before it (obsolete folding, RFC 9112 5.2).
  private mutating func continueLast(with content: Slice<UnsafeRawBufferPointer>) {
    guard let last = headers.popLast() else { return }
    headers.append(HTTPHeader(last.name, last.value + " " + Self.trimmed(content)))
  }

  /// `HTTP/1.1 200 OK`: the number between the first two blanks.
  private static func status(of line: Slice<UnsafeRawBufferPointer>) -> Int {
    let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { ASCII.isDigit($0) }
    guard digits.count == 3 else { return 0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let start = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    let end = start.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? start.startIndex
    return String(decoding: start[..<end], as: UTF8.self)
  }
}
