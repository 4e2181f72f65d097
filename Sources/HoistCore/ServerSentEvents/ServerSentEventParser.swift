internal import Glibc

/// Turns the bytes of a `text/event-stream`, cut anywhere, into messages.
///
/// The grammar is that of the HTML standard, section 9.2.6. Lines are split as bytes, which is the
/// same as splitting the decoded text, because no byte of a longer UTF-8 sequence is CR or LF and a
/// broken sequence ends where an ASCII byte begins.
public struct ServerSentEventParser: Sendable {
  /// Bytes of one line without its end, and bytes of one message's data, as they come: each that is no UTF-8
  /// becomes U+FFFD, three bytes, afterwards.
  public let maximumLineBytes: Int
  public let maximumEventBytes: Int
  /// The id of the last complete message; outlives connections.
  public private(set) var lastEventID = ""

  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var type = ""
  private var pendingID: String?
  private var atStart = true
  private var afterCarriageReturn = false
  private var failure: ServerSentEventError?

  public init(maximumLineBytes: Int = 32 << 20, maximumEventBytes: Int = 32 << 20) {
    self.maximumLineBytes = maximumLineBytes
    self.maximumEventBytes = maximumEventBytes
  }

  /// Forgets an unfinished message and whatever belongs to the connection: what follows is a new stream.
  /// - Parameter lastEventID: nil leaves it as it is.
  public mutating func reset(lastEventID: String? = nil) {
    let lastEventID = lastEventID ?? self.lastEventID
    self = ServerSentEventParser(
      maximumLineBytes: maximumLineBytes, maximumEventBytes: maximumEventBytes, lastEventID: lastEventID)
  }

  /// Messages on their way keep theirs.
  public mutating func forgetLastEvent() { lastEventID = "" }

  private init(maximumLineBytes: Int, maximumEventBytes: Int, lastEventID: String) {
    self.init(maximumLineBytes: maximumLineBytes, maximumEventBytes: maximumEventBytes)
    self.lastEventID = lastEventID
  }

  /// Takes the next bytes and returns what they complete, in order. After a `.failed`, which is the
  /// last, every further call returns the same `.failed` alone, until `reset`.
  ///
  /// Items are returned and not called back, so that their receiver is free to touch the parser.
  public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [ServerSentEventItem] {
    if let failure { return [.failed(failure)] }
    var items: [ServerSentEventItem] = []
    do {
      try split(bytes, &items)
    } catch {
      failure = error
      (line, data) = ([], [])
      items.append(.failed(error))
    }
    return items
  }

  private mutating func split(
    _ bytes: UnsafeRawBufferPointer, _ items: inout [ServerSentEventItem]
  ) throws(ServerSentEventError) {
    var at = 0
    if afterCarriageReturn, let first = bytes.first {
      afterCarriageReturn = false
      if first == Byte.lineFeed { at = 1 }
    }
    var lineFeed = bytes.index(of: Byte.lineFeed, from: at)
    while at < bytes.count {
      if lineFeed < at { lineFeed = bytes.index(of: Byte.lineFeed, from: at) }
      let end = bytes.index(of: Byte.carriageReturn, from: at, to: lineFeed)
      try keep(UnsafeRawBufferPointer(rebasing: bytes[at..<end]))
      guard end < bytes.count else { return }
      try endLine(&items)
      at = end + 1
      guard bytes[end] == Byte.carriageReturn else { continue }
      if at == bytes.count {
        afterCarriageReturn = true
      } else if bytes[at] == Byte.lineFeed {
        at += 1
      }
    }
  }

  private mutating func keep(_ part: UnsafeRawBufferPointer) throws(ServerSentEventError) {
    // Three bytes of grace: a byte-order mark is no part of the line.
    let limit = maximumLineBytes.addingReportingOverflow(atStart ? 3 : 0)
    guard limit.overflow || line.count + part.count <= limit.partialValue else {
      throw .lineTooLong(limitBytes: maximumLineBytes)
    }
    line.append(contentsOf: part)
  }

  private mutating func endLine(_ items: inout [ServerSentEventItem]) throws(ServerSentEventError) {
    var content = line[...]
    if atStart {
      atStart = false
      if content.starts(with: Byte.byteOrderMark) { content = content.dropFirst(Byte.byteOrderMark.count) }
      guard content.count <= maximumLineBytes else { throw .lineTooLong(limitBytes: maximumLineBytes) }
    }
    defer { line.removeAll(keepingCapacity: line.capacity <= 64 << 10) }
    if content.isEmpty {
      dispatch(&items)
    } else if content.first == Byte.colon {
      items.append(.comment)
    } else {
      let colon = content.firstIndex(of: Byte.colon) ?? content.endIndex
      var value = content[colon...].dropFirst()
      if value.first == Byte.space { value = value.dropFirst() }
      try field(content[..<colon], value, &items)
    }
  }

  private mutating func field(
    _ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, _ items: inout [ServerSentEventItem]
  ) throws(ServerSentEventError) {
    if name.elementsEqual("data".utf8) {
      guard value.count <= maximumEventBytes - data.count else {
        throw .eventTooLarge(limitBytes: maximumEventBytes)
      }
      data.append(contentsOf: value)
      data.append(Byte.lineFeed)
      hasData = true
    } else if name.elementsEqual("event".utf8) {
      type = String(decoding: value, as: UTF8.self)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { pendingID = String(decoding: value, as: UTF8.self) }
    } else if name.elementsEqual("retry".utf8), let delay = Self.milliseconds(value) {
      items.append(.retry(milliseconds: delay))
    }
  }

  private mutating func dispatch(_ items: inout [ServerSentEventItem]) {
    if let pendingID { lastEventID = pendingID }
    pendingID = nil
    defer {
      data = []
      type = ""
      hasData = false
    }
    guard hasData else { return }
    data.removeLast()
    items.append(
      .event(ServerSentEvent(type: type.isEmpty ? "message" : type, data: Self.repaired(data), id: lastEventID)))
  }

  private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard digit >= 0x30, digit <= 0x39 else { return nil }
      let (shifted, tooBig) = value.multipliedReportingOverflow(by: 10)
      let (sum, stillTooBig) = shifted.addingReportingOverflow(Int64(digit - 0x30))
      value = tooBig || stillTooBig ? Int64.max : sum
    }
    return digits.isEmpty ? nil : value
  }

  private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    bytes.allSatisfy { $0 < 0x80 } ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  private enum Byte {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let colon: UInt8 = 0x3A
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  }
}

extension UnsafeRawBufferPointer {
  /// The index of the first `byte` in `start..<end`, or `end`. Bounds are clamped.
  fileprivate func index(of byte: UInt8, from start: Int, to end: Int = .max) -> Int {
    let end = Swift.min(end, count)
    guard let baseAddress, start < end else { return end }
    guard let found = memchr(baseAddress + start, Int32(byte), end - start) else { return end }
    return UnsafeRawPointer(found) - baseAddress
  }
}
