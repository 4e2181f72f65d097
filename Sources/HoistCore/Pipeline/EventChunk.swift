internal import Glibc
internal import HoistBase

/// A block of memory with records one after another. Each is a header of 28 bytes (number, creation time, lengths of
/// payload and subject, offset of the subject after the header), the payload, and the subject unless it is a part of
/// that; padded to 8 bytes.
struct EventChunk {
  static let standardBytes = 64 << 10
  private static let headerBytes = 28

  let base: UnsafeMutableRawPointer
  let capacity: Int
  private(set) var used = 0
  /// Where the oldest record begins.
  private(set) var head = 0

  /// - Returns: nil when memory is short.
  init?(atLeast bytes: Int) {
    capacity = max(Self.standardBytes, bytes)
    guard let base = malloc(capacity) else { return nil }
    self.base = base
  }

  var isEmpty: Bool { head == used }
  func free() { Glibc.free(base) }
  mutating func empty() { (head, used) = (0, 0) }

  /// What a record takes; nil when its lengths are beyond the format.
  /// - Parameter subject: of the bytes that are not in the payload.
  static func bytes(subject: Int, payload: Int) -> Int? {
    guard subject <= Int32.max, payload <= Int32.max else { return nil }
    return (headerBytes + subject + payload + 7) & ~7
  }

  /// - Parameters:
  ///   - size: as `bytes` says; fits.
  ///   - place: the offset of the subject in the payload; nil when it is not in there.
  ///   - payload: the rest of it is `tail`.
  @inline(__always)
  mutating func append(
    number: UInt64, size: Int, created: Int64, subject: ByteView, place: Int?, payload: ByteView, tail: ByteView
  ) {
    let at = base + used
    let end = payload.count &+ tail.count
    at.storeBytes(of: number, as: UInt64.self)
    at.storeBytes(of: created, toByteOffset: 8, as: Int64.self)
    at.storeBytes(of: UInt32(truncatingIfNeeded: end), toByteOffset: 16, as: UInt32.self)
    at.storeBytes(of: UInt32(truncatingIfNeeded: subject.count), toByteOffset: 20, as: UInt32.self)
    at.storeBytes(of: UInt32(truncatingIfNeeded: place ?? end), toByteOffset: 24, as: UInt32.self)
    let start = at + Self.headerBytes
    if let bytes = payload.baseAddress { start.copyMemory(from: bytes, byteCount: payload.count) }
    if let bytes = tail.baseAddress { (start + payload.count).copyMemory(from: bytes, byteCount: tail.count) }
    if place == nil, let bytes = subject.baseAddress { (start + end).copyMemory(from: bytes, byteCount: subject.count) }
    used += size
  }

  struct Record {
    var number: UInt64
    var created: Int64
    /// Valid while the chunk is.
    var subject: ByteView
    var payload: ByteView
  }

  /// The oldest record's.
  var firstNumber: UInt64? { isEmpty ? nil : UnsafeRawPointer(base + head).load(as: UInt64.self) }

  /// Takes the oldest record.
  mutating func popFirst() -> Record? {
    guard head < used else { return nil }
    let at = UnsafeRawPointer(base + head)
    let payload = Int(at.load(fromByteOffset: 16, as: UInt32.self))
    let subject = Int(at.load(fromByteOffset: 20, as: UInt32.self))
    let place = Int(at.load(fromByteOffset: 24, as: UInt32.self))
    head += (Self.headerBytes + max(payload, place + subject) + 7) & ~7
    let start = at + Self.headerBytes
    return Record(
      number: at.load(as: UInt64.self), created: at.load(fromByteOffset: 8, as: Int64.self),
      subject: ByteView(start: start + place, count: subject), payload: ByteView(start: start, count: payload))
  }
}
