public import HoistBase

/// Text that C can borrow for as long as its owner lives: bytes and a NUL.
public final class CText: @unchecked Sendable {
  private let storage: UnsafePointer<UInt8>
  /// Bytes before the NUL.
  public let count: Int

  public init(_ source: some ByteSource) {
    (storage, count) = source.withBytes { bytes in
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
      if let start = bytes.baseAddress { UnsafeMutableRawPointer(copy).copyMemory(from: start, byteCount: bytes.count) }
      copy[bytes.count] = 0
      return (UnsafePointer(copy), bytes.count)
    }
  }

  public static let empty = CText("")
  static let null = CText("null")
  static let emptyObject = CText("{}")

  /// Invalid UTF-8 becomes U+FFFD.
  public convenience init(repairing bytes: ByteView) { self.init(String(decoding: bytes, as: UTF8.self)) }

  deinit { storage.deallocate() }

  public var pointer: UnsafePointer<CChar> { UnsafeRawPointer(storage).assumingMemoryBound(to: CChar.self) }
  /// Valid as long as this text lives.
  public var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }
  public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: storage, count: count)) }
  public var string: String { String(decoding: UnsafeBufferPointer(start: storage, count: count), as: UTF8.self) }
}
