/// Cuts a text into the values of its outermost object or array, without building a tree: so that a large
/// document can be read one part after another.
///
/// A cut looks at brackets and strings only. That a part is JSON shows when it is parsed, so every part must
/// be, also one that is not wanted; what stands between the parts is checked here.
public struct JSONSlices {
  private let start: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private var at: UnsafePointer<UInt8>
  /// Whether the parts are members, with names.
  public private(set) var isObject: Bool
  private var state = State.beforeFirst

  private enum State { case beforeFirst, afterValue, ended }

  /// - Parameter text: an object or an array; a byte-order mark may come first. Outlives the slices.
  public init(_ text: UnsafeRawBufferPointer) throws(JSONFailure) {
    let bytes = text.bindMemory(to: UInt8.self)
    start = bytes.baseAddress ?? JSONScanner.emptyText
    end = start + bytes.count
    at = start
    isObject = false
    if end - at >= 3, at[0] == 0xEF, at[1] == 0xBB, at[2] == 0xBF { at += 3 }
    skipSpace()
    guard at < end, at.pointee == UInt8(ascii: "{") || at.pointee == UInt8(ascii: "[") else {
      throw failure("expected an object or an array")
    }
    isObject = at.pointee == UInt8(ascii: "{")
    at += 1
  }

  /// The next value of an array, or member of an object, whose name comes as the text of a JSON string.
  /// - Returns: nil after the last; what follows the closing bracket has been checked then.
  public mutating func next() throws(JSONFailure) -> (name: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer)? {
    guard state != .ended, try goesOn() else { return nil }
    var name: UnsafeRawBufferPointer?
    if isObject {
      skipSpace()
      guard at < end, at.pointee == UInt8(ascii: "\"") else { throw failure("expected a member name") }
      name = try takeString()
      skipSpace()
      guard at < end, at.pointee == UInt8(ascii: ":") else { throw failure("expected ':' after the member name") }
      at += 1
    }
    return (name, try takeValue())
  }

  /// Whether another value follows; takes the comma before it, or everything to the end.
  private mutating func goesOn() throws(JSONFailure) -> Bool {
    skipSpace()
    guard at < end else { throw failure("the text ends inside an \(isObject ? "object" : "array")") }
    if at.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      at += 1
      skipSpace()
      guard at == end else { throw failure("expected the end of the text after the document") }
      state = .ended
      return false
    }
    if state == .afterValue {
      guard at.pointee == UInt8(ascii: ",") else { throw failure("expected ',' or '\(isObject ? "}" : "]")'") }
      at += 1
    }
    state = .afterValue
    return true
  }

  private mutating func takeValue() throws(JSONFailure) -> UnsafeRawBufferPointer {
    skipSpace()
    guard at < end else { throw failure("the text ends where a value is expected") }
    switch at.pointee {
    case UInt8(ascii: "\""): return try takeString()
    case UInt8(ascii: "{"), UInt8(ascii: "["): return try takeContainer()
    default: return try takeWord()
    }
  }

  private mutating func takeString() throws(JSONFailure) -> UnsafeRawBufferPointer {
    let first = at
    try skipString()
    return UnsafeRawBufferPointer(start: first, count: at - first)
  }

  private mutating func takeContainer() throws(JSONFailure) -> UnsafeRawBufferPointer {
    let first = at
    var depth = 0
    while at < end {
      switch at.pointee {
      case UInt8(ascii: "\""):
        try skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      at += 1
      if depth == 0 { return UnsafeRawBufferPointer(start: first, count: at - first) }
    }
    throw failure("the text ends inside a value that begins here", at: first)
  }

  /// A number, `true`, `false` or `null`, if it is one.
  private mutating func takeWord() throws(JSONFailure) -> UnsafeRawBufferPointer {
    let first = at
    while at < end {
      switch at.pointee {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
        at += 1
        continue
      default: break
      }
      break
    }
    guard at > first else { throw failure("expected a value") }
    return UnsafeRawBufferPointer(start: first, count: at - first)
  }

  /// Past the closing quote.
  private mutating func skipString() throws(JSONFailure) {
    let first = at
    at += 1
    while at < end {
      let byte = at.pointee
      at += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\"), at < end { at += 1 }
    }
    throw failure("the text ends inside a string", at: first)
  }

  private mutating func skipSpace() {
    while at < end, at.pointee == 0x20 || at.pointee == 0x0A || at.pointee == 0x0D || at.pointee == 0x09 { at += 1 }
  }

  private func failure(_ reason: String, at place: UnsafePointer<UInt8>? = nil) -> JSONFailure {
    JSONFailure(.syntax, reason, at: JSONPosition(of: (place ?? at) - start, in: start))
  }
}

extension JSONPosition {
  /// - Parameter byte: how many bytes before it stand from `start` on.
  init(of byte: Int, in start: UnsafePointer<UInt8>) {
    var line = 1
    var lineStart = 0
    for index in 0..<byte where start[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    self.init(byte: byte, line: line, column: byte - lineStart + 1)
  }
}

extension JSONFailure {
  /// The failure of a slice, as one of the text it was cut from.
  public func moved(from slice: UnsafeRawBufferPointer, to text: UnsafeRawBufferPointer) -> JSONFailure {
    guard let position, let start = text.baseAddress, let part = slice.baseAddress else { return self }
    let byte = part - start + position.byte
    guard byte >= 0, byte <= text.count else { return self }
    return JSONFailure(
      kind, reason, at: JSONPosition(of: byte, in: start.assumingMemoryBound(to: UInt8.self)))
  }
}
