public import HoistBase
internal import Glibc
internal import HoistJSON

/// What a caller asked to get when there is no value. Plain memory; the text is the caller's, valid for the call.
@frozen
public struct EvaluationFallback: BitwiseCopyable {
  /// `.none` for null.
  public var kind: ValueKind
  /// Integers, and booleans as 0 and 1.
  public var integer: Int64 = 0
  public var number: Double = 0
  @usableFromInline var start: UnsafeRawPointer?
  /// Negative: the text ends at a NUL.
  @usableFromInline var count = 0

  /// No fallback.
  @inlinable @inline(__always)
  public init() { kind = .none }

  @inlinable @inline(__always)
  public init(_ value: Bool) {
    kind = .bool
    integer = value ? 1 : 0
  }

  @inlinable @inline(__always)
  public init(_ value: Int64) {
    kind = .int
    integer = value
  }

  @inlinable @inline(__always)
  public init(_ value: Double) {
    kind = .double
    number = value
  }

  /// - Parameter kind: `.string`, or `.json` for JSON text.
  @inlinable @inline(__always)
  public init(_ kind: ValueKind, _ text: ByteView) {
    self.kind = kind
    start = text.baseAddress
    count = text.count
  }

  /// A text that ends at a NUL, which is looked for only when needed; nil is no fallback.
  @inlinable @inline(__always)
  public init(_ kind: ValueKind, _ text: UnsafePointer<CChar>?) {
    self.kind = text == nil ? .none : kind
    start = UnsafeRawPointer(text)
    count = -1
  }

  /// A string's bytes, or JSON text; as the caller gave it, which may be invalid.
  public var text: ByteView {
    guard let start, count < 0 else { return ByteView(start: start, count: count) }
    return ByteView(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
  }

  /// Runs `body` with the fallback's address; nil for none.
  @inlinable @inline(__always)
  public func withPointer<Result>(_ body: (UnsafePointer<EvaluationFallback>?) -> Result) -> Result {
    if kind == .none { return body(nil) }
    return withUnsafePointer(to: self) { body($0) }
  }
}

extension EvaluationFallback {
  /// JSON text; nil for null. A text that is no UTF-8, or JSON that is none, counts as null.
  public var json: [UInt8]? {
    var writer = JSONWriter()
    switch kind {
    case .none: return nil
    case .bool: writer.bool(integer != 0)
    case .int: writer.int(integer)
    case .double: writer.double(number)
    case .string: writer.string(text)
    case .json:
      let isNull = try? JSONNode.parse(text) { node in
        writer.value(node)
        return node.isNull
      }
      if isNull != false { return nil }
    }
    return writer.bytes
  }
}
