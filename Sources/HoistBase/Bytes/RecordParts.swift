/// Writes a record of parts, each with its length before it: four bytes, least significant first.
///
/// The caller has the room: `PartWriter.bytes(of:)` for each part, and what it adds without a length.
public struct PartWriter {
  /// Where the next part goes.
  public var end: UnsafeMutableRawPointer

  @inlinable
  public static func bytes(of count: Int) -> Int { 4 + count }

  @inlinable
  public init(_ start: UnsafeMutableRawPointer) { end = start }

  @inlinable
  public mutating func byte(_ byte: UInt8) {
    end.storeBytes(of: byte, as: UInt8.self)
    end += 1
  }

  /// Eight bytes in native order: for records that do not leave the process.
  @inlinable
  public mutating func word(_ word: UInt64) {
    end.storeBytes(of: word, as: UInt64.self)
    end += 8
  }

  @inlinable
  public mutating func part(_ bytes: ByteView) {
    end.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count).littleEndian, as: UInt32.self)
    end += 4
    plain(bytes)
  }

  @inlinable
  public static func bytes(ofShort count: Int) -> Int { count < 0xFF ? 1 + count : 5 + count }

  /// A part that is mostly short: one byte of length, and four more from 255 bytes on.
  @inlinable
  public mutating func shortPart(_ bytes: ByteView) {
    if bytes.count < 0xFF {
      byte(UInt8(truncatingIfNeeded: bytes.count))
      plain(bytes)
    } else {
      byte(0xFF)
      part(bytes)
    }
  }

  /// Bytes without their length: the last of a record.
  @inlinable
  public mutating func plain(_ bytes: ByteView) {
    guard let source = bytes.baseAddress else { return }
    end.copyMemory(from: source, byteCount: bytes.count)
    end += bytes.count
  }
}

/// Reads such a record, which may be anything.
public struct PartReader {
  private let bytes: ByteView
  /// Where the next part begins.
  public private(set) var position = 0

  public init(_ bytes: ByteView) { self.bytes = bytes }

  public mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  public mutating func word() -> UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    defer { position += 8 }
    return bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
  }

  /// The next part; nil where none is complete.
  public mutating func part() -> ByteView? {
    guard bytes.count - position >= 4 else { return nil }
    let count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
    guard count <= bytes.count - position - 4 else { return nil }
    defer { position += 4 + count }
    return bytes.view(from: position + 4, to: position + 4 + count)
  }

  /// The next short part; nil where none is complete.
  public mutating func shortPart() -> ByteView? {
    guard position < bytes.count else { return nil }
    let count = Int(bytes[position])
    if count == 0xFF {
      position += 1
      return part()
    }
    guard count <= bytes.count - position - 1 else { return nil }
    defer { position += 1 + count }
    return bytes.view(from: position + 1, to: position + 1 + count)
  }

  /// The next `count` bytes; nil where there are fewer.
  public mutating func plain(_ count: Int) -> ByteView? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes.view(from: position, to: position + count)
  }

  /// What has not been read.
  public var rest: ByteView { bytes.view(from: position, to: bytes.count) }
}
