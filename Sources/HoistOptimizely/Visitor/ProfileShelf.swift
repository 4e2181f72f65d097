internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// User profiles in memory, kept for the next run in the client's store.
///
/// Split into boxes by the user id's hash, so that decisions of several threads seldom wait for each other and a change
/// writes a part only. A box forgets the user who was not seen for longest first. Thread-safe.
final class ProfileShelf: @unchecked Sendable {
  static let boxCount = 32
  /// How long a change waits for others before its box is written.
  static let writeDelayMilliseconds: Int64 = 1_000

  private let boxes: [ProfileBox]
  private let store: Store
  private let scheduler: any Scheduler
  private let lock = Lock()
  /// Guarded by `lock`.
  private var isWriteScheduled = false

  /// - Parameter capacity: profiles in all, rounded up to a multiple of the boxes.
  init(store: Store, scheduler: any Scheduler, capacity: Int) {
    self.store = store
    self.scheduler = scheduler
    let room = max(1, (max(0, capacity) &+ Self.boxCount - 1) / Self.boxCount)
    boxes = (0..<Self.boxCount).map { _ in ProfileBox(capacity: room) }
  }

  func profile(of user: ByteView, hash: UInt64) -> StoredProfile? { box(hash).profile(of: user, hash: hash) }

  func add(_ new: [SubjectContent.Assignment], to user: [UInt8]) {
    let hash = user.withBytes { Hash64.hash($0) }
    guard box(hash).add(new, to: user, hash: hash) else { return }
    let isFirst = lock.withLock {
      defer { isWriteScheduled = true }
      return !isWriteScheduled
    }
    guard isFirst else { return }
    _ = scheduler.schedule(afterMilliseconds: Self.writeDelayMilliseconds) { [weak self] in self?.writeWithOthers() }
  }

  // The low bits choose the place in the box's table.
  private func box(_ hash: UInt64) -> ProfileBox { boxes[Int(truncatingIfNeeded: hash &>> 32) & (Self.boxCount - 1)] }

  /// Reads every box; profiles made meanwhile give way to stored ones, experiment by experiment.
  func start() {
    for (index, box) in boxes.enumerated() {
      store.load(Self.key(index)) { bytes in if let bytes { box.merge(bytes, storedWins: true) } }
    }
  }

  /// Another process may have written the same boxes: what it kept is kept on.
  private func writeWithOthers() {
    lock.withLock { isWriteScheduled = false }
    for (index, box) in boxes.enumerated() where box.isChanged {
      store.load(Self.key(index)) { [store] bytes in
        if let bytes { box.merge(bytes, storedWins: false) }
        if let text = box.takeChanged() { store.save(Self.key(index), text) }
      }
    }
  }

  func write() {
    for (index, box) in boxes.enumerated() {
      if let text = box.takeChanged() { store.save(Self.key(index), text) }
    }
  }

  func abandonAfterFork() { lock.withLock { isWriteScheduled = false } }

  var counters: (held: Int, forgotten: Int64) {
    boxes.reduce((0, 0)) { sum, box in
      let (held, forgotten) = box.counters
      return (sum.0 + held, sum.1 &+ forgotten)
    }
  }

  static func key(_ index: Int) -> String { index < 10 ? "profiles.0\(index)" : "profiles.\(index)" }
}
