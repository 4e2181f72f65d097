internal import HoistBase
internal import HoistCore

/// Toggles in the host's own storage (protocol D.3.6, row UNL-60): replaced as a whole on a lane when flags arrive,
/// asked at every read. What waits for it runs on the scheduler's thread, in order; a storage that does not return
/// delays it by the limit at most.
final class HostStorage: @unchecked Sendable {
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
  /// Read until the storage has them; guarded by `lock`.
  private var early: (id: UInt64, toggles: [[UInt8]: UnleashToggle])?

  init(_ storage: any UnleashStorage) { self.storage = storage }

  /// Any thread; the host's storage is called.
  func value(_ key: ByteView) -> UnleashToggle? {
    if let early = lock.withLock({ early?.toggles }) { return early[Array(key)] }
    return storage.value(String(decoding: key, as: UTF8.self))
  }

  /// - Parameter isReadableAtOnce: reads find them before the storage has them.
  func set(_ toggles: [UnleashToggle], over host: any ProviderHost, isReadableAtOnce: Bool) {
    let byName = isReadableAtOnce ? Dictionary(toggles.map { (Array($0.name.utf8), $0) }) { first, _ in first } : nil
    let id = lock.withLock {
      lastID &+= 1
      entries.append(Entry(id: lastID))
      if let byName { early = (lastID, byName) }
      return lastID
    }
    let (storage, scheduler) = (storage, host.scheduler)
    let limit = scheduler.schedule(afterMilliseconds: Self.limitMilliseconds) { [weak self] in self?.finish(id) }
    host.onPluginLane { [weak self] in
      storage.set(toggles)
      self?.stored(id)
      scheduler.post { [weak self] in
        limit.cancel()
        self?.finish(id)
      }
    }
  }

  private func stored(_ id: UInt64) {
    lock.withLock {
      if let earlyID = early?.id, earlyID <= id { early = nil }
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

  func clear(over host: any ProviderHost) {
    let storage = storage
    host.onPluginLane { storage.clear() }
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
