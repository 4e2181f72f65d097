internal import Glibc

/// A text that must not be seen: a key, a token, a password. Whatever prints it, prints `***`;
/// only `reveal` and `withRevealedBytes` give it out. Its bytes are overwritten when the last copy
/// goes; copies that were revealed are their holder's affair.
public struct Secret: Sendable, Equatable {
  private let storage: Storage

  public init(_ source: some ByteSource) {
    storage = source.withBytes { Storage($0) }
  }

  public var isEmpty: Bool { storage.bytes.isEmpty }

  public func reveal() -> String { String(decoding: storage.bytes, as: UTF8.self) }

  /// Runs `body` with the bytes, which must not escape from it.
  public func withRevealedBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    body(ByteView(storage.bytes))
  }

  /// Takes the same time wherever the first difference is.
  public static func == (left: Secret, right: Secret) -> Bool {
    let one = left.storage.bytes
    let other = right.storage.bytes
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<one.count { difference |= one[index] ^ other[index] }
    return difference == 0
  }

  private final class Storage: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ source: ByteView) {
      bytes = .allocate(byteCount: source.count, alignment: 1)
      bytes.copyMemory(from: source)
    }

    deinit {
      if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
      bytes.deallocate()
    }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "***" }
  public var debugDescription: String { "***" }
  /// Without children, so that `dump` has nothing to show.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
