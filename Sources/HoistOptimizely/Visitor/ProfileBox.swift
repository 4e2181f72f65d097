internal import HoistBase
internal import HoistJSON
internal import Synchronization

/// Some of a shelf's profiles. Thread-safe.
final class ProfileBox: @unchecked Sendable {
  private final class Entry: Sendable {
    let profile: StoredProfile
    /// When it was read last, in uses of the box.
    let usedAt: Atomic<UInt64>
    init(_ profile: StoredProfile, usedAt: UInt64) {
      self.profile = profile
      self.usedAt = Atomic(usedAt)
    }
  }

  private let capacity: Int
  private let lock = Lock()
  // Guarded by `lock`.
  private var entries = ByteMap<Entry>()
  private var uses: UInt64 = 0
  private var hasChanged = false
  private var forgotten: Int64 = 0
  /// Whether it is known what was stored; nothing is taken in before, for it might contradict that.
  private var isRead: Bool

  /// - Parameter isRead: false where something may be stored; then `read` follows.
  init(capacity: Int, isRead: Bool = true) {
    self.capacity = capacity
    self.isRead = isRead
  }

  /// What was stored; nil when nothing was.
  func read(_ bytes: [UInt8]?) {
    if let bytes { merge(bytes, storedWins: true) }
    lock.withLock { isRead = true }
  }

  func profile(of user: ByteView, hash: UInt64) -> StoredProfile? {
    lock.withLock {
      guard let entry = entries.find(user, hash: hash) else { return nil }
      uses &+= 1
      entry.usedAt.store(uses, ordering: .relaxed)
      return entry.profile
    }
  }

  /// - Returns: whether something changed.
  func add(_ new: [SubjectContent.Assignment], to user: [UInt8], hash: UInt64) -> Bool {
    guard lock.withLock({ isRead }) else { return false }
    return replace(user, hash, marksChange: true) { $0.adding(new) }
  }

  /// Replaces a profile by what `change` makes of it; made anew where another thread was quicker.
  private func replace(
    _ user: [UInt8], _ hash: UInt64, marksChange: Bool, _ change: (StoredProfile) -> [UInt8]?
  ) -> Bool {
    while true {
      let former = user.withBytes { user in lock.withLock { entries.find(user, hash: hash) } }
      guard let json = change(former?.profile ?? StoredProfile(userID: user, json: nil)) else { return false }
      let profile = StoredProfile(userID: user, json: json)
      let isDone = user.withBytes { user in
        lock.withLock {
          guard entries.find(user, hash: hash) === former else { return false }
          uses &+= 1
          if former == nil, entries.count >= capacity { forgetLeastRecent() }
          entries.set(user, hash: hash, Entry(profile, usedAt: uses))
          if marksChange { hasChanged = true }
          return true
        }
      }
      if isDone { return true }
    }
  }

  /// With `lock` held.
  private func forgetLeastRecent() {
    let oldest = entries.all.min { $0.value.usedAt.load(ordering: .relaxed) < $1.value.usedAt.load(ordering: .relaxed) }
    guard let oldest else { return }
    forgotten &+= 1
    oldest.key.withBytes { entries.set($0, hash: Hash64.hash($0), nil) }
  }

  var isChanged: Bool { lock.withLock { hasChanged } }
  var counters: (held: Int, forgotten: Int64) { lock.withLock { (entries.count, forgotten) } }

  /// What has to be written; nil when nothing has changed since the last call.
  func takeChanged() -> [UInt8]? {
    let profiles: [StoredProfile]? = lock.withLock {
      guard hasChanged else { return nil }
      hasChanged = false
      return entries.all.sorted { $0.value.usedAt.load(ordering: .relaxed) < $1.value.usedAt.load(ordering: .relaxed) }
        .map(\.value.profile)
    }
    guard let profiles else { return nil }
    var writer = JSONWriter()
    writer.array { writer in
      for profile in profiles { if let json = profile.json { writer.raw(json) } }
    }
    return writer.bytes
  }

  /// Takes in what was written before, by this process or another; of users who are new here, as many as there is room
  /// for.
  /// - Parameter storedWins: whether a stored assignment stands against one made here for the same experiment.
  func merge(_ bytes: [UInt8], storedWins: Bool) {
    for (user, json) in Self.profiles(in: bytes).suffix(capacity) {
      let hash = user.withBytes { Hash64.hash($0) }
      let isKnown = user.withBytes { user in lock.withLock { entries.find(user, hash: hash) != nil } }
      guard isKnown || counters.held < capacity else { continue }
      _ = replace(user, hash, marksChange: false) { mine in
        let theirs = StoredProfile(userID: user, json: json)
        let added = mine.assignments.filter { own in
          !storedWins || !theirs.assignments.contains { $0.experimentID == own.experimentID }
        }
        let merged = theirs.adding(added) ?? json
        return mine.json == merged ? nil : merged
      }
    }
  }

  private static func profiles(in bytes: [UInt8]) -> [(user: [UInt8], json: [UInt8])] {
    guard let document = try? JSONDocument(parsing: bytes) else { return [] }
    return document.withRoot { root in
      (root.array?.map { $0 } ?? []).compactMap { value in
        guard let user = value["user_id"]?.utf8, let json = try? value.text() else { return nil }
        return (Array(user), json)
      }
    }
  }
}
