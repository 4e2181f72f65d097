/// Borrowed read-only bytes, the input of every parser and hash of this module. Valid only during the call it is passed
/// to; an empty view may have no address.
public typealias ByteView = UnsafeRawBufferPointer

/// What can lend its bytes for the length of a call. Text lends its UTF-8.
public protocol ByteSource {
  /// Runs `body` with the bytes, which must not escape from it.
  func withBytes<Result>(_ body: (ByteView) -> Result) -> Result
}

extension UnsafeRawBufferPointer: ByteSource {
  @inlinable @inline(__always)
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result { body(self) }

  /// No bytes.
  @inlinable @inline(__always)
  public static var noBytes: ByteView { ByteView(start: nil, count: 0) }
}

extension UnsafeBufferPointer<UInt8>: ByteSource {
  @inlinable @inline(__always)
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result { body(ByteView(self)) }
}

extension String: ByteSource {
  @inlinable
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    var copy = self  // free for native text; a bridged one is made native
    return copy.withUTF8 { body(ByteView($0)) }
  }
}

extension Substring: ByteSource {
  @inlinable
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    var copy = self
    return copy.withUTF8 { body(ByteView($0)) }
  }
}

extension StaticString: ByteSource {
  @inlinable
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    withUTF8Buffer { body(ByteView($0)) }
  }
}

extension [UInt8]: ByteSource {
  @inlinable
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    withUnsafeBytes { body($0) }
  }
}

extension ArraySlice<UInt8>: ByteSource {
  @inlinable
  public func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    withUnsafeBytes { body($0) }
  }
}
