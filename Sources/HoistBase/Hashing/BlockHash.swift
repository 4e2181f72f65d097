/// The chaining value of a hash that eats blocks of 64 bytes.
protocol BlockChain: Sendable {
  associatedtype Output
  init()
  mutating func absorb(_ block: UnsafeRawPointer)
  /// True when the length in bits at the end of the last block has its highest byte first.
  static var lengthIsBigEndian: Bool { get }
  var output: Output { get }
}

/// What MD5, SHA-1 and SHA-256 have in common: blocks, padding, length (RFC 1321 3.1-3.2,
/// FIPS 180-4 5.1.1).
struct BlockHash<Chain: BlockChain>: Sendable {
  private var chain = Chain()
  private var pending = InlineArray<64, UInt8>(repeating: 0)
  private var pendingCount = 0
  private var totalBytes: UInt64 = 0

  mutating func update(_ bytes: ByteView) {
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

  consuming func finish() -> Chain.Output {
    let bits = totalBytes &<< 3
    pending[pendingCount] = 0x80
    clear(from: pendingCount &+ 1)
    if pendingCount >= 56 {
      absorbPending()
      clear(from: 0)
    }
    let length = Chain.lengthIsBigEndian ? bits.bigEndian : bits.littleEndian
    withUnsafeBytes(of: length) { bytes in
      for index in 0..<8 { pending[56 &+ index] = bytes[index] }
    }
    absorbPending()
    return chain.output
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

extension UInt32 {
  @inline(__always)
  func rotated(left count: UInt32) -> UInt32 { self &<< count | self &>> (32 &- count) }

  @inline(__always)
  func rotated(right count: UInt32) -> UInt32 { self &>> count | self &<< (32 &- count) }
}
