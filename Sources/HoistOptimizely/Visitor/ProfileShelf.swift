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
  // The scheduler thread's.
  /// Looks into the store that have not ended.
  private var unread = 0
  private var waiting: [@Sendable () -> Void] = []

  /// - Parameter capacity: profiles in all, rounded up to a multiple of the boxes.
  init(store: Store, scheduler: any Scheduler, capacity: Int) {
    self.store = store
    self.scheduler = scheduler
    let room = max(1, (max(0, capacity) &+ Self.boxCount - 1) / Self.boxCount)
    boxes = (0..<Self.boxCount).map { _ in ProfileBox(capacity: room, isRead: !store.keepsValues) }
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
    _ = scheduler.schedule(afterMilliseconds: Self.writeDelayMilliseconds) { [weak self] in self?.write() }
  }

  // The low bits choose the place in the box's table.
  private func box(_ hash: UInt64) -> ProfileBox { boxes[Int(truncatingIfNeeded: hash &>> 32) & (Self.boxCount - 1)] }

  /// Reads every box; profiles that are here already give way to stored ones, experiment by experiment.
  func start() {
    unread += boxes.count
    for (index, box) in boxes.enumerated() {
      store.load(Self.key(index)) { [weak self] bytes in
        box.read(bytes)
        self?.lookEnded()
      }
    }
  }

  private func lookEnded() {
    unread -= 1
    guard unread == 0 else { return }
    let told = waiting
    waiting = []
    for tell in told { tell() }
  }

  /// Runs `body` when the looks into the store that have begun have ended, which the store sees to.
  func whenRead(_ body: @escaping @Sendable () -> Void) { if unread == 0 { body() } else { waiting.append(body) } }

  /// Writes what has changed. Another process may have written the same boxes: what it kept is kept on.
  /// - Parameter completion: once everything has been handed to the store.
  func write(_ completion: @escaping @Sendable () -> Void = {}) {
    lock.withLock { isWriteScheduled = false }
    let last = Countdown(boxes.count, completion)
    for (index, box) in boxes.enumerated() {
      guard box.isChanged else {
        last.count()
        continue
      }
      store.load(Self.key(index)) { [store] bytes in
        if let bytes { box.merge(bytes, storedWins: false) }
        if let text = box.takeChanged() { store.save(Self.key(index), text) }
        last.count()
      }
    }
  }

  /// Of the parent's looks into the store none ends here.
  func abandonAfterFork() {
    lock.withLock { isWriteScheduled = false }
    unread = 0
    waiting = []
  }

  var counters: (held: Int, forgotten: Int64) {
    boxes.reduce((0, 0)) { sum, box in
      let (held, forgotten) = box.counters
      return (sum.0 + held, sum.1 &+ forgotten)
    }
  }

  static func key(_ index: Int) -> String { index < 10 ? "profiles.0\(index)" : "profiles.\(index)" }
}

/// Calls somebody when so many things have ended. On the scheduler's thread.
final class Countdown: @unchecked Sendable {
  private var left: Int
  private let completion: @Sendable () -> Void

  init(_ left: Int, _ completion: @escaping @Sendable () -> Void) {
    self.left = left
    self.completion = completion
  }

  func count() {
    left -= 1
    if left == 0 { completion() }
  }
}
