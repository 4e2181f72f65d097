internal import CShims
internal import HoistBase

/// Frees blocks that readers may still be in, once none can be: after a swap, the old block is retired here.
///
/// A process-wide list; `collect` is cheap and called after each swap and from clients' timers.
public final class Reclaimer: @unchecked Sendable {
  public static let shared = Reclaimer()

  private struct Retired {
    var epoch: UInt64
    var isFree: @Sendable () -> Bool
    var destroy: @Sendable () -> Void
  }

  /// Small objects that wait together for one advance of the epoch, which interrupts every thread of the process.
  private static let batch = 32

  private let lock = Lock()
  private var retired: [Retired] = []
  /// No new reader can find them; the epoch has not advanced since.
  private var fresh: [any AnyObject & Sendable] = []

  /// Takes ownership of a block that no new reader can find.
  /// - Parameters:
  ///   - isFree: false while something else than a reading section holds it.
  ///   - destroy: runs once, on the thread of some later `collect`, outside the lock.
  public func retire(
    isFree: @escaping @Sendable () -> Bool = { true }, destroy: @escaping @Sendable () -> Void
  ) {
    let epoch = shim_epoch_advance()
    lock.withLock { retired.append(Retired(epoch: epoch, isFree: isFree, destroy: destroy)) }
  }

  /// Likewise an object that is small and often replaced: a few of them wait for each other, or for a `collect`.
  func retire(small object: any AnyObject & Sendable) {
    let isBatch = lock.withLock {
      fresh.append(object)
      return fresh.count >= Self.batch
    }
    if isBatch { collect() }
  }

  /// Frees what can be freed now; returns how many blocks still wait.
  @discardableResult
  public func collect() -> Int {
    let small = lock.withLock {
      defer { fresh = [] }
      return fresh
    }
    if !small.isEmpty { retire { withExtendedLifetime(small) {} } }
    var ready: [Retired] = []
    let waiting = lock.withLock {
      let split = retired.partition { shim_epoch_quiescent($0.epoch) && $0.isFree() }
      ready = Array(retired[split...])
      retired.removeSubrange(split...)
      return retired.count
    }
    // The collecting thread may hold a lock, and a block the last reference to a host object.
    Thread.withoutHost { for block in ready { block.destroy() } }
    return waiting
  }
}
