public import HoistBase
internal import Glibc

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
