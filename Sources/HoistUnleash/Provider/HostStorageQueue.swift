internal import HoistBase
internal import HoistCore

/// Hands toggles to a storage of the host's own, and makes what tells of them wait until it has them (protocol D.1,
/// row UNL-60). What waits runs on the scheduler's thread, in order; a storage that does not return holds it up for
/// the limit only.
final class HostStorageQueue: @unchecked Sendable {
  private static let limitMilliseconds: Int64 = 5000

  private struct Entry {
    let id: UInt64
    var isStored = false
    var works: [@Sendable () -> Void] = []
  }

  private let storage: any UnleashStorage
  private let lock = Lock()
  /// Those the storage may not have yet, and what waits for each; guarded by `lock`.
  private var entries: [Entry] = []
  private var lastID: UInt64 = 0

  init(_ storage: any UnleashStorage) { self.storage = storage }

  func set(_ toggles: [UnleashToggle], over host: any ProviderHost) {
    let id = lock.withLock {
      lastID &+= 1
      entries.append(Entry(id: lastID))
      return lastID
    }
    let (storage, scheduler) = (storage, host.scheduler)
    let limit = scheduler.schedule(afterMilliseconds: Self.limitMilliseconds) { [weak self] in self?.finish(id) }
    host.onPluginLane { [weak self] in
      storage.set(toggles)
      scheduler.post { [weak self] in
        limit.cancel()
        self?.finish(id)
      }
    }
  }

  /// Runs it now if the storage has everything.
  func afterwards(_ work: @escaping @Sendable () -> Void) {
    let waits = lock.withLock {
      guard !entries.isEmpty else { return false }
      entries[entries.count - 1].works.append(work)
      return true
    }
    if !waits { work() }
  }

  /// Waits for nothing any more.
  func release() {
    for entry in lock.withLock({ entries }) { finish(entry.id) }
  }

  private func finish(_ id: UInt64) {
    lock.withLock {
      if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].isStored = true }
    }
    while let works = takeStored() { for work in works { work() } }
  }

  private func takeStored() -> [@Sendable () -> Void]? {
    lock.withLock { entries.first?.isStored == true ? entries.removeFirst().works : nil }
  }
}
