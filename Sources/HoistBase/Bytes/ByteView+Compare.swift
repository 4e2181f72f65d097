internal import CShims
internal import Glibc

/// Comparison by bytes. `String`'s own `==` calls canonically equivalent texts equal, which no
/// service does.
extension UnsafeRawBufferPointer {
  /// True when both views hold the same bytes.
  @inlinable
  public func hasSameBytes(as other: ByteView) -> Bool {
    guard count == other.count else { return false }
    guard let left = baseAddress, let right = other.baseAddress else { return true }
    return Self.areEqual(left, right, count)
  }

  /// Whether the bytes are those of a literal.
  @inlinable @inline(__always)
  public func reads(_ text: StaticString) -> Bool {
    text.hasPointerRepresentation
      && hasSameBytes(as: ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable
  public func hasPrefix(_ prefix: ByteView) -> Bool {
    guard prefix.count <= count else { return false }
    guard let left = baseAddress, let right = prefix.baseAddress else { return true }
    return Self.areEqual(left, right, prefix.count)
  }

  @inlinable
  public func hasSuffix(_ suffix: ByteView) -> Bool {
    guard suffix.count <= count else { return false }
    guard let left = baseAddress, let right = suffix.baseAddress else { return true }
    return Self.areEqual(left + (count &- suffix.count), right, suffix.count)
  }

  /// Whether these bytes contain `needle`; an empty one always.
  public func containsBytes(_ needle: ByteView) -> Bool {
    guard needle.count <= count else { return false }
    guard needle.count > 0, let left = baseAddress, let right = needle.baseAddress else {
      return true
    }
    return shim_find(left, count, right, needle.count) != nil
  }

  /// The order of the first differing byte, the shorter first: the order of code points in UTF-8.
  public func order(against other: ByteView) -> Ordering {
    if let left = baseAddress, let right = other.baseAddress {
      let difference = memcmp(left, right, Swift.min(count, other.count))
      if difference != 0 { return difference < 0 ? .less : .greater }
    }
    return Ordering(of: count, against: other.count)
  }

  /// The offset of `piece`, if it is a part of this very memory.
  @inlinable @inline(__always)
  public func place(of piece: ByteView) -> Int? {
    guard let start = baseAddress, let other = piece.baseAddress, other >= start else { return nil }
    let place = other - start
    return place <= count && piece.count <= count &- place ? place : nil
  }

  /// The bytes of `range`, cut to those that are there.
  @inlinable
  public func view(from start: Int, to end: Int) -> ByteView {
    let lower = Swift.max(0, Swift.min(start, count))
    let upper = Swift.max(lower, Swift.min(end, count))
    guard let baseAddress else { return self }
    return ByteView(start: baseAddress + lower, count: upper &- lower)
  }

  /// Both pointers have at least `count` readable bytes. Eight at a time; the last step overlaps, and so do those of a short
  /// text, which has no loop.
  @inlinable @inline(__always)
  static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    if count >= 8 {
      var offset = 0
      while offset &+ 8 <= count {
        if word(left, offset) != word(right, offset) { return false }
        offset &+= 8
      }
      return word(left, count &- 8) == word(right, count &- 8)
    }
    if count >= 4 {
      return half(left, 0) == half(right, 0) && half(left, count &- 4) == half(right, count &- 4)
    }
    // The first, the middle and the last of up to three.
    return count <= 0
      || byte(left, 0) == byte(right, 0) && byte(left, count &>> 1) == byte(right, count &>> 1)
        && byte(left, count &- 1) == byte(right, count &- 1)
  }

  @inlinable @inline(__always)
  static func half(_ base: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  @inlinable @inline(__always)
  static func byte(_ base: UnsafeRawPointer, _ offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

  @inlinable @inline(__always)
  static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

/// The order of two values.
@frozen public enum Ordering: Sendable {
  case less, equal, greater

  @inlinable
  public init<Value: Comparable>(of left: Value, against right: Value) {
    self = left < right ? .less : (left == right ? .equal : .greater)
  }

  /// The order seen from the other side.
  public var reversed: Ordering {
    switch self {
    case .less: .greater
    case .equal: .equal
    case .greater: .less
    }
  }
}
