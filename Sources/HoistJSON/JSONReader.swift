public import HoistBase

/// Reads a document that is too large to be kept: the containers outside are entered, what is in them comes value
/// by value, in one pass and without allocation.
///
/// Accepts and refuses what `JSONDocument` does; failures have their position in the whole text. `maximumValues` and
/// `maximumDepth` hold for each value that is read.
public struct JSONReader: ~Copyable {
  private var parser: JSONParser<JSONTape>
  /// The containers entered, and whether a value of theirs has been read.
  private var entered: [(isObject: Bool, isBegun: Bool)] = []

  /// - Parameters:
  ///   - text: outlives the reader and all that it hands out.
  ///   - part: what of the text is read, as `skip` gave it; nil for all.
  public init(
    _ text: UnsafeRawBufferPointer, at part: ByteView? = nil, limits: JSONLimits = .standard
  ) throws(JSONFailure) {
    var scanner = try JSONScanner(text, limits)
    guard text.count < Int(UInt32.max) else { throw JSONFailure(.limit, "the text is longer than \(UInt32.max) bytes") }
    scanner.skipByteOrderMark()
    if let start = part?.baseAddress { scanner.at = start.assumingMemoryBound(to: UInt8.self) }
    scanner.skipSpace()
    guard scanner.at < scanner.end else { throw scanner.failure("the text is empty") }
    let tape = JSONTape(scanner)
    parser = JSONParser(scanner, tape)
  }

  /// Enters the container that comes next.
  /// - Returns: false when something else comes, which is still to be read.
  public mutating func enter(_ kind: JSONKind) -> Bool {
    parser.scanner.skipSpace()
    let bracket = kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "[")
    guard kind == .object || kind == .array, parser.scanner.at < parser.scanner.end,
      parser.scanner.at.pointee == bracket
    else { return false }
    parser.scanner.at += 1
    entered.append((kind == .object, false))
    return true
  }

  /// The name of the next member of the object entered last, whose value comes next.
  /// - Returns: nil after the last member; the object is left then. Good until the next call.
  public mutating func nextName() throws(JSONFailure) -> ByteView? {
    try goesOn() ? ByteView(try parser.scanner.readName()) : nil
  }

  /// The next element of the array entered last.
  /// - Returns: nil after the last one; the array is left then.
  public mutating func nextElement() throws(JSONFailure) -> JSONNode? { try goesOn() ? try value() : nil }

  /// The text of the next element of the array entered last, as `skip` passes over it.
  public mutating func nextPart(levels: Int = 0) throws(JSONFailure) -> ByteView? {
    try goesOn() ? try skip(levels: levels) : nil
  }

  /// Reads the value that comes next. Texts that had escapes stay until the reader goes.
  public mutating func value() throws(JSONFailure) -> JSONNode {
    parser.sink.clear()
    try parser.readValue()
    guard let root = parser.sink.root else { throw .outOfMemory }
    return root
  }

  /// Checks the value that comes next and passes over it; with `levels`, so many containers into one another are read
  /// value by value, not as a whole.
  /// - Returns: its text, to be read later.
  public mutating func skip(levels: Int = 0) throws(JSONFailure) -> ByteView {
    parser.scanner.skipSpace()
    let start = parser.scanner.at
    if levels > 0, enter(.array) {
      while try goesOn() { _ = try skip(levels: levels - 1) }
    } else if levels > 0, enter(.object) {
      while try nextName() != nil { _ = try skip(levels: levels - 1) }
    } else {
      _ = try value()
    }
    return ByteView(start: start, count: parser.scanner.at - start)
  }

  /// Refuses whatever follows the document.
  public mutating func finish() throws(JSONFailure) { try parser.expectEnd() }

  /// Whether the container entered last has more; takes the comma, or leaves the container.
  private mutating func goesOn() throws(JSONFailure) -> Bool {
    guard let container = entered.popLast() else { return false }
    parser.scanner.skipSpace()
    let bracket = container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    if parser.scanner.at < parser.scanner.end, parser.scanner.at.pointee == bracket {
      parser.scanner.at += 1
      return false
    }
    if container.isBegun { try parser.scanner.skipComma(isObject: container.isObject) }
    entered.append((container.isObject, true))
    return true
  }
}

extension JSONNode {
  /// Reads a whole document and lends it for the length of `body`.
  public static func parse<Result>(
    _ text: UnsafeRawBufferPointer, limits: JSONLimits = .standard, _ body: (JSONNode) -> Result
  ) throws(JSONFailure) -> Result {
    var reader = try JSONReader(text, limits: limits)
    let root = try reader.value()
    try reader.finish()
    return body(root)
  }

  /// What `body` says of a whole document; false for what is none. That memory ran out says nothing of a text, and is thrown.
  public static func judge(_ text: some ByteSource, _ body: (JSONNode) -> Bool) throws(JSONFailure) -> Bool {
    do {
      return try text.withBytes { text in Result { () throws(JSONFailure) in try parse(text, body) } }.get()
    } catch {
      if error.kind == .outOfMemory { throw error }
      return false
    }
  }
}
