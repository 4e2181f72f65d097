public import HoistBase

/// A flag's key with its hash. Lent for a call.
public struct FlagKey {
  let bytes: ByteView
  let hash: UInt64

  @inline(__always)
  public init(_ bytes: ByteView) {
    self.bytes = bytes
    hash = Hash64.hash(bytes)
  }

  @inline(__always)
  init(_ bytes: ByteView, hash: UInt64) {
    self.bytes = bytes
    self.hash = hash
  }
}
