internal import HoistBase
internal import HoistCore

/// One side of a comparison (4.3).
struct Comparand: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// Of no type that is compared: null, an object, an array in an array.
    case other
    case bool, int, double, string
  }

  /// What fits into a snapshot: all but the text.
  struct Plain: BitwiseCopyable {
    var kind = Kind.other
    /// Integers, and booleans as 0 and 1.
    var integer: Int64 = 0
    var number: Double = 0
    var textHash: UInt64 = 0
  }

  var plain: Plain
  var text: ByteView

  @inline(__always)
  init(_ plain: Plain, _ text: ByteView) {
    self.plain = plain
    self.text = text
  }

  @inline(__always)
  init(text: ByteView, hash: UInt64) {
    plain = Plain(kind: .string, textHash: hash)
    self.text = text
  }

  /// - Returns: nil for what a visitor's context cannot hold, which counts as absent. Dates are the texts they are sent
  ///   as.
  @inline(__always)
  init?(_ attribute: UnsafePointer<FrozenAttribute>) {
    plain = Plain()
    text = .noBytes
    switch attribute.pointee.kind {
    case .bool: plain.kind = .bool
    case .int: plain.kind = .int
    case .double: plain.kind = .double
    case .string, .date:
      plain.kind = .string
      plain.textHash = attribute.pointee.textHash
      text = attribute.pointee.textBytes
      return
    case .null, .strings, .json: return nil
    }
    plain.integer = attribute.pointee.integer
    plain.number = attribute.pointee.number
  }

  /// Whether they are one value; nil when they are of different types. Integers and doubles are one type, and compared
  /// exactly.
  @inline(__always)
  func equals(_ other: Comparand) -> Bool? {
    switch (plain.kind, other.plain.kind) {
    case (.string, .string): plain.textHash == other.plain.textHash && text.hasSameBytes(as: other.text)
    case (.bool, .bool), (.int, .int): plain.integer == other.plain.integer
    default: order(against: other).map { $0 == .equal }
    }
  }

  /// Nil for what has no order: different types, and booleans. Texts by code points.
  @inline(__always)
  func order(against other: Comparand) -> Ordering? {
    switch (plain.kind, other.plain.kind) {
    case (.string, .string): text.order(against: other.text)
    case (.int, .int): Ordering(of: plain.integer, against: other.plain.integer)
    case (.double, .double): Self.order(plain.number, other.plain.number)
    case (.int, .double): Self.order(plain.integer, other.plain.number)
    case (.double, .int): Self.order(other.plain.integer, plain.number)?.reversed
    default: nil
    }
  }

  private static func order(_ left: Double, _ right: Double) -> Ordering? {
    left.isNaN || right.isNaN ? nil : Ordering(of: left, against: right)
  }

  /// Exact, where a conversion to double would round.
  private static func order(_ whole: Int64, _ number: Double) -> Ordering? {
    if number.isNaN { return nil }
    if number >= 0x1p63 { return .less }
    if number < -0x1p63 { return .greater }
    let floor = number.rounded(.down)
    guard let floored = Int64(exactly: floor) else { return nil }
    if whole != floored { return Ordering(of: whole, against: floored) }
    return floor == number ? .equal : .less
  }
}

/// Versions as the service compares them (FS-202): Semantic Versioning with an optional `v` in front, where minor and
/// patch may be left out.
enum TargetedVersion {
  /// Nil when one of them is no version.
  static func order(_ left: ByteView, against right: ByteView) -> Ordering? {
    SemanticVersion.order(complete(left), complete(right))
  }

  private static func complete(_ text: ByteView) -> [UInt8] {
    var version = Array(text.view(from: text.first == UInt8(ascii: "v") ? 1 : 0, to: text.count))
    guard version.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }) else { return version }
    let dots = version.reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) }
    for _ in dots..<max(dots, 2) { version += [UInt8(ascii: "."), UInt8(ascii: "0")] }
    return version
  }
}
