internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The cache of user profiles, stored for the next run in the client's store.
///
/// Split into shards by the user id's hash, so that decisions of several threads seldom contend and a change writes one
/// shard only. A shard evicts the least recently used profile first. Thread-safe.
final class ProfileCache: @unchecked Sendable {
  static let shardCount = 32
  /// How long a change waits for others before its shard is written.
  static let writeDelayMilliseconds: Int64 = 1_000

  private let shards: [ProfileShard]
  private let subjects: SubjectStore<ProfileShard>
  // The scheduler thread's.
  /// Looks into the store that have not ended.
  private var unread = 0
  private var waiting: [@Sendable () -> Void] = []

  /// - Parameter capacity: profiles in all, rounded up to a multiple of the shards.
  init(store: Store, scheduler: any Scheduler, capacity: Int) {
    subjects = SubjectStore(
      store: store, scheduler: scheduler, options: .init(delayMilliseconds: Self.writeDelayMilliseconds))
    let room = max(1, (max(0, capacity) &+ Self.shardCount - 1) / Self.shardCount)
    shards = (0..<Self.shardCount).map { ProfileShard(key: Self.key($0), capacity: room, isRead: !store.keepsValues) }
  }

  func profile(of user: ByteView, hash: UInt64) -> StoredProfile? { shard(hash).profile(of: user, hash: hash) }

  func add(_ new: [SubjectContent.Assignment], to user: [UInt8]) {
    let hash = user.withBytes { Hash64.hash($0) }
    let shard = shard(hash)
    if shard.add(new, to: user, hash: hash) { subjects.changed(shard) }
  }

  // The low bits choose the slot in the shard's table.
  private func shard(_ hash: UInt64) -> ProfileShard { shards[Int(truncatingIfNeeded: hash &>> 32) & (Self.shardCount - 1)] }

  /// Reads every shard. An unreadable one counts as empty; its stored record is merged when it is written.
  func start() {
    unread += shards.count
    for shard in shards {
      guard let key = shard.storeKey else { continue }
      subjects.load(key) { [weak self] result in
        if shard.read((try? result.get()) ?? nil) { self?.subjects.changed(shard) }
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

  /// Runs `body` when the reads that have begun are over; the store completes each one.
  func whenRead(_ body: @escaping @Sendable () -> Void) { if unread == 0 { body() } else { waiting.append(body) } }

  /// Writes what has changed, into what others have written.
  /// - Parameter completion: when the store has tried to.
  func write(_ completion: (@Sendable () -> Void)? = nil) { subjects.writeAll(completion: completion) }

  /// The parent's reads of the store do not end here.
  func abandonAfterFork() {
    unread = 0
    waiting = []
  }

  var counters: (held: Int, forgotten: Int64) {
    shards.reduce((0, 0)) { sum, shard in
      let (held, forgotten) = shard.counters
      return (sum.0 + held, sum.1 &+ forgotten)
    }
  }

  static func key(_ index: Int) -> String { index < 10 ? "profiles.0\(index)" : "profiles.\(index)" }
}
