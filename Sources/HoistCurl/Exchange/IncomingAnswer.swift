internal import Glibc
internal import HoistCore

/// The part of a response received so far, within its limits.
struct IncomingAnswer {
  private static let maximumDiscardedBytes = 1 << 20

  private(set) var head = ResponseHead()
  private(set) var body: [UInt8] = []
  private var headerBytes = 0
  private var discardedBytes = 0

  /// - Returns: false when there is more than may be.
  mutating func takeHeader(_ line: UnsafeRawBufferPointer, limit: Int) -> Bool {
    headerBytes += line.count
    guard headerBytes <= limit else { return false }
    head.take(line)
    return true
  }

  enum Room { case taken, tooLarge, noMemory }

  mutating func takeBody(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Room {
    let needed = body.count + bytes.count
    guard needed <= limit else { return .tooLarge }
    if needed > body.capacity {
      let roomy = max(needed, min(2 * body.capacity, limit))
      guard Self.isMemoryLeft(roomy) else { return .noMemory }
      body.reserveCapacity(roomy)
    }
    body.append(contentsOf: bytes)
    return .taken
  }

  /// For the body of a redirect, which is not read. Returns false when it is not worth waiting for.
  mutating func discard(_ bytes: UnsafeRawBufferPointer) -> Bool {
    discardedBytes += bytes.count
    return discardedBytes <= Self.maximumDiscardedBytes
  }

  /// Swift aborts when memory runs out; a trial `malloc` avoids that.
  private static func isMemoryLeft(_ count: Int) -> Bool {
    guard count > 64 << 10 else { return true }
    guard let probe = malloc(count) else { return false }
    free(probe)
    return true
  }
}
