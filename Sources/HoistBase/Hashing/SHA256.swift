/// SHA-256 (FIPS 180-4), by the processor's own instructions where it has them.
public struct SHA256: Sendable {
  public typealias Digest = HashDigest<32>

  private var chain = SHA256Chain()
  private var pending = InlineArray<64, UInt8>(repeating: 0)
  private var pendingCount = 0
  private var totalBytes: UInt64 = 0

  public init() {}

  public mutating func update(_ bytes: ByteView) {
    guard let base = bytes.baseAddress else { return }
    totalBytes &+= UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    if pendingCount > 0 {
      offset = min(64 &- pendingCount, bytes.count)
      store(base, offset)
      guard pendingCount == 64 else { return }
      absorbPending()
    }
    while bytes.count &- offset >= 64 {
      chain.absorb(base + offset)
      offset &+= 64
    }
    store(base + offset, bytes.count &- offset)
  }

  @inlinable
  public mutating func update(_ source: some ByteSource) { source.withBytes { update($0) } }

  /// The digest of everything so far. The value can go on.
  public func finish() -> Digest {
    var last = self
    last.pad()
    return last.chain.output
  }

  public static func hash(_ bytes: ByteView) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  @inlinable
  public static func hash(_ source: some ByteSource) -> Digest { source.withBytes { hash($0) } }

  /// A one, zeros, and the length in bits (5.1.1).
  private mutating func pad() {
    let bits = totalBytes &<< 3
    pending[pendingCount] = 0x80
    clear(from: pendingCount &+ 1)
    if pendingCount >= 56 {
      absorbPending()
      clear(from: 0)
    }
    withUnsafeBytes(of: bits.bigEndian) { bytes in
      for index in 0..<8 { pending[56 &+ index] = bytes[index] }
    }
    absorbPending()
  }

  /// `count` is at most what the pending block still takes, and less than a block.
  private mutating func store(_ base: UnsafeRawPointer, _ count: Int) {
    var index = 0
    while index < count {
      pending[pendingCount &+ index] = base.load(fromByteOffset: index, as: UInt8.self)
      index &+= 1
    }
    pendingCount &+= count
  }

  private mutating func absorbPending() {
    let block = pending
    block.span.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { chain.absorb(base) }
    }
    pendingCount = 0
  }

  private mutating func clear(from start: Int) {
    var index = start
    while index < 64 {
      pending[index] = 0
      index &+= 1
    }
  }
}

extension SHA256 {
  /// The digest of a text and what follows it, as four words, the first byte highest: for hashes of short texts, which
  /// need no copy of a state and one block's work.
  public static func words(of text: ByteView, _ more: ByteView) -> InlineArray<4, UInt64> {
    let count = text.count &+ more.count
    guard count <= 55 else {
      var hash = SHA256()
      hash.update(text)
      hash.update(more)
      let digest = hash.finish()
      return InlineArray { digest.bigEndianWord($0) }
    }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { block in
      guard let start = block.baseAddress else { return InlineArray(repeating: 0) }
      start.initializeMemory(as: UInt64.self, repeating: 0, count: 8)
      if let first = text.baseAddress { start.copyMemory(from: first, byteCount: text.count) }
      if let second = more.baseAddress { (start + text.count).copyMemory(from: second, byteCount: more.count) }
      start.storeBytes(of: 0x80, toByteOffset: count, as: UInt8.self)
      start.storeBytes(of: UInt64(truncatingIfNeeded: count &<< 3).bigEndian, toByteOffset: 56, as: UInt64.self)
      var chain = SHA256Chain()
      chain.absorb(start)
      return InlineArray { UInt64(chain.state[$0 &* 2]) &<< 32 | UInt64(chain.state[$0 &* 2 &+ 1]) }
    }
  }
}
