internal import Glibc
public import HoistBase

/// A block's bytes as part of a record: everything a context says, without holding it.
extension FrozenContext {
  /// To be copied while the context is held.
  @inline(__always)
  public var bytes: ByteView { ByteView(start: base, count: head.pointee.byteCount) }

  /// Lends the context in a copy of its bytes.
  /// - Parameters:
  ///   - bytes: as `bytes` gave them, in this process.
  ///   - original: their address then.
  /// - Returns: nil when they are no such bytes.
  public static func withCopy<Result>(_ bytes: ByteView, of original: UInt, _ body: (FrozenContext) -> Result) -> Result? {
    guard let source = bytes.baseAddress, bytes.count >= MemoryLayout<FrozenContextHead>.size else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 16) { block -> Result? in
      guard let copy = block.baseAddress else { return nil }
      memcpy(copy, source, bytes.count)
      let head = copy.assumingMemoryBound(to: FrozenContextHead.self)
      guard head.pointee.byteCount == bytes.count else { return nil }
      let shift = UInt(bitPattern: copy) &- original
      head.pointee.key = moved(head.pointee.key, by: shift)
      head.pointee.table = moved(head.pointee.table, by: shift)
      head.pointee.attributes = moved(head.pointee.attributes, by: shift)
      let attributes = UnsafeMutablePointer(mutating: head.pointee.attributes)
      for index in 0..<Int(head.pointee.attributeCount) {
        attributes[index].name = moved(attributes[index].name, by: shift)
        attributes[index].text = moved(attributes[index].text, by: shift)
      }
      return body(FrozenContext(copy))
    }
  }

  private static func moved<Pointee>(_ pointer: UnsafePointer<Pointee>, by shift: UInt) -> UnsafePointer<Pointee> {
    UnsafePointer(bitPattern: UInt(bitPattern: pointer) &+ shift) ?? pointer
  }
}
