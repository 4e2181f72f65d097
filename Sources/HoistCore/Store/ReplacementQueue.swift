internal import HoistBase

/// Compare-and-set for cache managers that have none: one caller at a time for each of them, in this process. Another process
/// that changes the same key between the look and the write is not noticed.
public enum ReplacementQueue {
  private final class State: @unchecked Sendable {
    let lock = Lock()
    let left = Condition()
    // Guarded by `lock`.
    var busy: Set<UInt> = []
    var generation = ForkGeneration.current
  }
  private static let state = State()

  /// - Parameter name: identifies the data behind the manager; of two calls with the same name one waits.
  public static func replace(
    in manager: some CacheManager, named name: UInt, key: String, _ expected: [UInt8]?, with value: [UInt8]?
  ) throws(CacheFailure) -> CacheReplacement {
    enter(name)
    defer { leave(name) }
    let known = try manager.load(key: key)
    guard known == expected else { return .differs(known) }
    if let value { try manager.save(key: key, value: value) } else { try manager.remove(key: key) }
    return .done
  }

  // No lock is held meanwhile: the manager may be a host's.
  private static func enter(_ name: UInt) {
    state.lock.withLock {
      if state.generation != ForkGeneration.current {
        // Those inside are threads of the parent.
        (state.busy, state.generation) = ([], ForkGeneration.current)
      }
      while !state.busy.insert(name).inserted { _ = state.left.wait(state.lock, untilNanoseconds: .max) }
    }
  }

  private static func leave(_ name: UInt) {
    state.lock.withLock {
      state.busy.remove(name)
      state.left.broadcast()
    }
  }
}
