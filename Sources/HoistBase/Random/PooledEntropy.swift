internal import Glibc

/// The system's randomness at the cost of a lock: drawn in blocks, handed out word by word, each word once.
///
/// A forked child throws away what its parent drew. Callable from any thread.
public final class PooledEntropy: Entropy, @unchecked Sendable {
  /// What one call of the system brings: `getentropy` gives 256 bytes at most.
  static let blockWords = 32

  private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Bool
  private let lock = Lock()
  // Guarded by `lock`. Raw, for identifiers are made on the way of events.
  private let words: UnsafeMutablePointer<UInt64>
  private var count = 0
  private var generation: UInt32

  public convenience init() {
    self.init { block in block.baseAddress.map { getentropy($0, block.count) == 0 } ?? false }
  }

  /// - Parameter fill: false when the system fails; then each word is requested by itself.
  init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Bool) {
    self.fill = fill
    words = .allocate(capacity: Self.blockWords)
    words.initialize(repeating: 0, count: Self.blockWords)
    generation = ForkGeneration.current
  }

  deinit { words.deallocate() }

  public func next() -> UInt64 { next(in: ForkGeneration.current) }

  func next(in current: UInt32) -> UInt64 { lock.withLock { take(current) } ?? drawBlock(current) }

  /// What has been handed out is not kept. With `lock` held.
  private func take(_ current: UInt32) -> UInt64? {
    if generation != current { (generation, count) = (current, 0) }
    guard count > 0 else { return nil }
    count &-= 1
    defer { words[count] = 0 }
    return words[count]
  }

  /// Asks the system with no lock held; of two threads that do so at once, the block of one is thrown away.
  private func drawBlock(_ current: UInt32) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.blockWords) { block in
      block.initialize(repeating: 0)
      guard let drawn = block.baseAddress, fill(UnsafeMutableRawBufferPointer(block)) else { return SystemEntropy().next() }
      lock.withLock {
        guard generation == current, count == 0 else { return }
        count = Self.blockWords &- 1
        words.update(from: drawn + 1, count: count)
      }
      defer { block.update(repeating: 0) }
      return drawn[0]
    }
  }
}
