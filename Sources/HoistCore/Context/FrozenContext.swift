internal import CShims
internal import Glibc
public import HoistBase

/// One attribute in a frozen context.
@frozen
public struct FrozenAttribute: BitwiseCopyable {
  public var nameHash: UInt64
  public var name: UnsafePointer<UInt8>
  public var nameCount: UInt32
  public var kind: AttributeKind
  /// The value as text: strings as they are; booleans, numbers, lists and JSON as JSON text; dates as RFC 3339.
  public var text: UnsafePointer<UInt8>
  public var textCount: UInt32
  public var textHash: UInt64
  /// Booleans (0, 1), integers and dates; else 0.
  public var integer: Int64
  /// Booleans, integers and doubles as a number; else NaN.
  public var number: Double

  @inlinable @inline(__always) public var nameBytes: ByteView { ByteView(start: name, count: Int(nameCount)) }
  @inlinable @inline(__always) public var textBytes: ByteView { ByteView(start: text, count: Int(textCount)) }
}

@frozen
public struct FrozenContextHead {
  /// Holders: handles, views, recorded impressions. Freed with the last.
  public var references: Int64
  /// Equal for equal targeting keys and attributes, in whatever order they were set.
  public var fingerprint: UInt64
  public var hasKey: Bool
  public var key: UnsafePointer<UInt8>
  public var keyCount: UInt32
  public var keyHash: UInt64
  /// A bit for each attribute's name, by its hash: tells most names that are not there.
  public var nameBits: UInt64
  public var attributeCount: UInt32
  /// The look-up table: `tableMask + 1` indices into the attributes plus one; 0 is empty.
  public var tableMask: UInt32
  public var attributes: UnsafePointer<FrozenAttribute>
  public var table: UnsafePointer<UInt16>
  /// The whole block, texts included.
  public var byteCount: Int
}

/// A context as evaluators read it: one immutable block of raw memory. A view without ownership.
@frozen
public struct FrozenContext: @unchecked Sendable {
  public let base: UnsafeRawPointer

  @inlinable @inline(__always) public init(_ base: UnsafeRawPointer) { self.base = base }
  @inlinable @inline(__always)
  public var head: UnsafePointer<FrozenContextHead> { base.assumingMemoryBound(to: FrozenContextHead.self) }

  public var attributeCount: Int { Int(head.pointee.attributeCount) }
  /// `index` below `attributeCount`, in the order of setting.
  public func attribute(at index: Int) -> UnsafePointer<FrozenAttribute> { head.pointee.attributes + index }
  public var fingerprint: UInt64 { head.pointee.fingerprint }
  /// The targeting key; nil when there is none.
  @inlinable @inline(__always)
  public var targetingKey: ByteView? {
    head.pointee.hasKey ? ByteView(start: head.pointee.key, count: Int(head.pointee.keyCount)) : nil
  }

  /// The attribute of a name whose hash is known.
  @inlinable @inline(__always)
  public func find(_ name: ByteView, hash: UInt64) -> UnsafePointer<FrozenAttribute>? {
    let head = head
    if head.pointee.nameBits & Self.nameBit(hash) == 0 { return nil }
    let mask = head.pointee.tableMask
    var at = UInt32(truncatingIfNeeded: hash) & mask
    while true {
      let index = head.pointee.table[Int(at)]
      if index == 0 { return nil }
      let attribute = head.pointee.attributes + Int(index &- 1)
      if attribute.pointee.nameHash == hash, attribute.pointee.nameBytes.hasSameBytes(as: name) { return attribute }
      at = (at &+ 1) & mask
    }
  }

  @inlinable @inline(__always)
  static func nameBit(_ hash: UInt64) -> UInt64 { 1 &<< (hash &>> 58) }

  /// One more reference; the caller holds one already, or is in a reading section.
  public func retain() { _ = shim_add_i64(references, 1) }
  /// Frees the block with the last holder.
  public func release() {
    if shim_add_i64(references, -1) == 1 { free(UnsafeMutableRawPointer(mutating: base)) }
  }
  private var references: UnsafeMutablePointer<Int64> {
    UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: Int64.self)
  }
}

/// Holds a frozen context alive.
public final class ContextReference: Sendable {
  public let frozen: FrozenContext

  /// Shares a block that is alive now.
  public init(sharing frozen: FrozenContext) {
    frozen.retain()
    self.frozen = frozen
  }

  /// Takes over one hold.
  init(adopting frozen: FrozenContext) { self.frozen = frozen }

  /// A context of its own.
  /// - Parameter attributes: with unique names, each as `EvaluationContext.check` lets it pass.
  /// - Returns: nil for too many, and when memory runs out.
  public convenience init?(key: [UInt8], attributes: [Attribute]) {
    guard let made = FrozenContext.build(key: key, attributes: attributes) else { return nil }
    self.init(adopting: made)
  }

  deinit { frozen.release() }
}
