internal import CZlib
internal import HoistBase
internal import HoistCore

/// The format of a journal file. Numbers are in native order: the file never leaves its machine.
///
///     "hoistJ1\n" · length and CRC-32 of the rest · two words of the ids · pipeline
///
/// and then one entry after another, in the order of their numbers:
///
///     length of the content · CRC-32 · kind · length of the subject · number · time · subject, payload
///
/// The checksum is of everything behind the kind. What does not match it was being written when the process died, and
/// is the end of the file. An erased entry stays, with a kind of its own and zeros as content.
enum JournalFormat {
  static let entryHeaderBytes = 32
  private static let magic = Array("hoistJ1\n".utf8)
  private static let fixedBytes = 16 + 16
  /// Beyond this no header of ours goes.
  private static let longestHeader = 4_096

  enum Kind {
    static let record: UInt32 = 1
    static let erased: UInt32 = 2
  }

  struct Header: Equatable {
    var identifiers: EventIdentifiers
    var pipeline: String
  }

  struct Entry {
    /// Where it begins in the file.
    var offset: Int
    var isErased: Bool
    var number: UInt64
    var created: Int64
    /// Valid while the bytes are that are read.
    var subject: ByteView
    var payload: ByteView
  }

  // MARK: Writing

  static func bytes(of header: Header) -> [UInt8] {
    var rest: [UInt8] = []
    func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { rest += $0 } }
    append(header.identifiers.high)
    append(header.identifiers.low)
    rest += header.pipeline.utf8
    let body = rest
    rest = magic
    append(UInt32(truncatingIfNeeded: body.count))
    append(body.withUnsafeBytes { shim_crc32(0, $0.baseAddress, $0.count) })
    return rest + body
  }

  /// Fills an entry but for its number.
  /// - Parameter room: as long as the entry.
  /// - Returns: the checksum so far, for `finish`.
  static func begin(
    _ room: UnsafeMutableRawBufferPointer, subject: ByteView, created: Int64, payload: ByteView
  ) -> UInt32 {
    let content = UnsafeMutableRawBufferPointer(rebasing: room[entryHeaderBytes...])
    content.copyMemory(from: subject)
    UnsafeMutableRawBufferPointer(rebasing: content[subject.count...]).copyMemory(from: payload)
    room.storeBytes(of: UInt32(truncatingIfNeeded: content.count), as: UInt32.self)
    room.storeBytes(of: Kind.record, toByteOffset: 8, as: UInt32.self)
    room.storeBytes(of: UInt32(truncatingIfNeeded: subject.count), toByteOffset: 12, as: UInt32.self)
    room.storeBytes(of: created, toByteOffset: 24, as: Int64.self)
    return shim_crc32(0, content.baseAddress, content.count)
  }

  static func finish(_ room: UnsafeMutableRawBufferPointer, number: UInt64, checksum: UInt32) {
    room.storeBytes(of: number, toByteOffset: 16, as: UInt64.self)
    room.storeBytes(
      of: shim_crc32(checksum, room.baseAddress.map { $0 + 12 }, entryHeaderBytes - 12), toByteOffset: 4, as: UInt32.self)
  }

  // MARK: Reading

  /// - Returns: the header and its length; nil for what is none.
  static func header(of file: ByteView) -> (header: Header, bytes: Int)? {
    guard file.count >= fixedBytes, magic.withBytes({ file.hasPrefix($0) }) else { return nil }
    let length = Int(file.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    guard length >= 16, length <= longestHeader, 16 + length <= file.count else { return nil }
    let rest = file.view(from: 16, to: 16 + length)
    guard shim_crc32(0, rest.baseAddress, length) == file.loadUnaligned(fromByteOffset: 12, as: UInt32.self) else { return nil }
    let identifiers = EventIdentifiers(
      high: rest.loadUnaligned(as: UInt64.self), low: rest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let pipeline = String(decoding: rest.view(from: 16, to: length), as: UTF8.self)
    return (Header(identifiers: identifiers, pipeline: pipeline), 16 + length)
  }

  /// Whether this is a partly written header of this version. Another version's begins differently.
  static func isTornHeader(_ file: ByteView) -> Bool {
    let count = min(file.count, magic.count)
    return magic.withBytes { file.view(from: 0, to: count).hasSameBytes(as: $0.view(from: 0, to: count)) }
      || file.allSatisfy { $0 == 0 }
  }

  /// Hands out every entry from `start` on, up to the first that is not whole.
  static func forEachEntry(of file: ByteView, from start: Int, _ body: (Entry) -> Void) {
    var offset = start
    while let (entry, next) = entry(of: file, at: offset) {
      body(entry)
      offset = next
    }
  }

  private static func entry(of file: ByteView, at offset: Int) -> (entry: Entry, next: Int)? {
    guard file.count - offset >= entryHeaderBytes else { return nil }
    let content = offset + entryHeaderBytes
    func word(_ place: Int) -> UInt32 { file.loadUnaligned(fromByteOffset: offset + place, as: UInt32.self) }
    let (length, kind, subject) = (Int(word(0)), word(8), Int(word(12)))
    guard length <= file.count - content, subject <= length, kind == Kind.record || kind == Kind.erased else { return nil }
    let bytes = file.view(from: content, to: content + length)
    if kind == Kind.record {
      let sum = shim_crc32(0, bytes.baseAddress, length)
      let head = file.view(from: offset + 12, to: content)
      guard shim_crc32(sum, head.baseAddress, head.count) == word(4) else { return nil }
    }
    let entry = Entry(
      offset: offset, isErased: kind == Kind.erased,
      number: file.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self),
      created: file.loadUnaligned(fromByteOffset: offset + 24, as: Int64.self), subject: bytes.view(from: 0, to: subject),
      payload: bytes.view(from: subject, to: length))
    return (entry, content + length)
  }
}
