/// Reads the values of a text in one pass, without recursion, and hands them to a sink.
struct JSONParser<Sink: JSONSink & ~Copyable>: ~Copyable {
  var scanner: JSONScanner
  var sink: Sink
  private var values = 0

  init(_ scanner: consuming JSONScanner, _ sink: consuming Sink) {
    self.scanner = scanner
    self.sink = sink
  }

  /// Reads a whole document.
  mutating func readDocument() throws(JSONFailure) {
    scanner.skipByteOrderMark()
    scanner.skipSpace()
    guard scanner.at < scanner.end else { throw scanner.failure("the text is empty") }
    try readValue()
    try expectEnd()
  }

  /// Reads the value that comes next, to its end.
  mutating func readValue() throws(JSONFailure) {
    values = 0
    repeat { try beginValue() } while try moreAfterValue()
  }

  mutating func expectEnd() throws(JSONFailure) {
    scanner.skipSpace()
    guard scanner.at == scanner.end else { throw scanner.failure("expected the end of the text after the document") }
  }

  /// Reads one value; a container only up to its first element, which is read next.
  private mutating func beginValue() throws(JSONFailure) {
    while true {
      scanner.skipSpace()
      guard scanner.at < scanner.end else { throw scanner.failure("the text ends where a value is expected") }
      values += 1
      guard values <= scanner.limits.maximumValues else {
        throw scanner.failure("more than \(scanner.limits.maximumValues) values", .limit)
      }
      switch scanner.at.pointee {
      case UInt8(ascii: "{"):
        try enter(isObject: true)
        if closes(with: UInt8(ascii: "}")) { return }
        try sink.name(try scanner.readName())
      case UInt8(ascii: "["):
        try enter(isObject: false)
        if closes(with: UInt8(ascii: "]")) { return }
      default:
        return try readScalar()
      }
    }
  }

  private mutating func readScalar() throws(JSONFailure) {
    switch scanner.at.pointee {
    case UInt8(ascii: "\""):
      try sink.string(try scanner.readString())
    case UInt8(ascii: "t"):
      try scanner.skip("true")
      try sink.bool(true)
    case UInt8(ascii: "f"):
      try scanner.skip("false")
      try sink.bool(false)
    case UInt8(ascii: "n"):
      try scanner.skip("null")
      try sink.null()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try sink.number(try scanner.readNumber())
    default:
      throw scanner.failure("expected a value, found \(scanner.found)")
    }
  }

  /// Leaves the containers that end here.
  /// - Returns: whether another value follows.
  private mutating func moreAfterValue() throws(JSONFailure) -> Bool {
    while sink.depth > 0 {
      let isObject = sink.isInObject
      if closes(with: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { continue }
      try scanner.skipComma(isObject: isObject)
      if isObject { try sink.name(try scanner.readName()) }
      return true
    }
    return false
  }

  private mutating func enter(isObject: Bool) throws(JSONFailure) {
    guard sink.depth < scanner.limits.maximumDepth else {
      throw scanner.failure("nested deeper than \(scanner.limits.maximumDepth) levels", .limit)
    }
    try sink.open(scanner.at, isObject: isObject)
    scanner.at += 1
  }

  private mutating func closes(with byte: UInt8) -> Bool {
    scanner.skipSpace()
    guard scanner.at < scanner.end, scanner.at.pointee == byte else { return false }
    scanner.at += 1
    sink.close(scanner.at)
    return true
  }
}
