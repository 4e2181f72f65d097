internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import Synchronization

/// One shard of the profile cache, stored in one record. Thread-safe.
final class ProfileShard: SubjectRecord, @unchecked Sendable {
  private final class Entry: Sendable {
    let profile: StoredProfile
    /// What is known to be stored, where the profile says more.
    let stored: StoredProfile?
    /// When it was used last, in uses of the shard; less than `firstUse` for one that was only read from the store.
    let usedAt: Atomic<UInt64>

    init(_ profile: StoredProfile, stored: StoredProfile?, usedAt: UInt64) {
      self.profile = profile
      self.stored = stored
      self.usedAt = Atomic(usedAt)
    }

    var use: UInt64 { usedAt.load(ordering: .relaxed) }
    /// The lowest is evicted first.
    var rank: (Int, UInt64) { (stored == nil ? 0 : 1, use) }
    /// What has to be written into a stored profile: not where another client has decided first.
    func news(for theirs: StoredProfile) -> [SubjectContent.Assignment] {
      guard let stored else { return [] }
      return profile.news(since: stored).filter { new in
        let kept = theirs.assignments.first { $0.experimentID == new.experimentID }
        return kept.map { stored.assignments.contains($0) } ?? true
      }
    }
  }

  private struct Kept {
    var user: [UInt8]
    var json: [UInt8]
  }

  /// What a merge was made from, and what of.
  private struct Merge {
    var changed: [[UInt8]: Entry] = [:]
    var result: [Kept] = []
  }

  private static let firstUse: UInt64 = 1 << 32

  let storeKey: String?
  let mark = WriteMark()
  private let capacity: Int
  private let lock = Lock()
  // Guarded by `lock`.
  private var entries = ByteMap<Entry>()
  private var uses = ProfileShard.firstUse
  private var reads: UInt64 = 0
  private var lastMerge = Merge()
  private var forgotten: Int64 = 0
  /// What was assigned before the stored profiles were read, which it must not contradict; nil from then on.
  private var early: [[UInt8]: [SubjectContent.Assignment]]?

  /// - Parameters:
  ///   - key: the store key of the shard.
  ///   - isRead: false where something may be stored; then `read` follows.
  init(key: String? = nil, capacity: Int, isRead: Bool = true) {
    storeKey = key
    self.capacity = capacity
    early = isRead ? nil : [:]
  }

  /// What was stored; nil when nothing was, or that is not known. What was assigned before is added where it says nothing.
  /// - Returns: whether something changed.
  @discardableResult
  func read(_ bytes: [UInt8]?) -> Bool {
    if let bytes { take(Self.profiles(in: bytes)) }
    let early = lock.withLock {
      defer { self.early = nil }
      return self.early ?? [:]
    }
    var isChanged = false
    for (user, assignments) in early {
      let hash = user.withBytes { Hash64.hash($0) }
      let known = user.withBytes { profile(of: $0, hash: hash) }?.assignments ?? []
      let missing = assignments.filter { new in !known.contains { $0.experimentID == new.experimentID } }
      if add(missing, to: user, hash: hash) { isChanged = true }
    }
    return isChanged
  }

  /// - Returns: false when the stored profiles have been read.
  private func keepForLater(_ new: [SubjectContent.Assignment], of user: [UInt8]) -> Bool {
    lock.withLock {
      guard let known = early?[user] ?? early.map({ _ in [] }) else { return false }
      if known.isEmpty, early?.count ?? 0 >= capacity { return true }
      early?[user] = known + new.filter { !known.contains($0) }
      return true
    }
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
    if keepForLater(new, of: user) { return false }
    return replace(user, hash) { former in
      let known = former?.profile ?? StoredProfile(userID: user, json: nil)
      guard let json = known.adding(new) else { return nil }
      return Entry(StoredProfile(userID: user, json: json), stored: former?.stored ?? known, usedAt: nextUse())
    }
  }

  /// With `lock` held.
  private func nextUse() -> UInt64 {
    uses &+= 1
    return uses
  }

  /// Replaces a user's entry by what `change` makes of it, with `lock` held.
  private func replace(_ user: [UInt8], _ hash: UInt64, _ change: (Entry?) -> Entry?) -> Bool {
    user.withBytes { user in
      lock.withLock {
        let former = entries.find(user, hash: hash)
        guard let new = change(former) else { return false }
        if former == nil, entries.count >= capacity { forgetLeastRecent() }
        entries.set(user, hash: hash, new)
        return true
      }
    }
  }

  /// With `lock` held. An entry that is not written yet is evicted last.
  private func forgetLeastRecent() {
    let oldest = entries.all.min { $0.value.rank < $1.value.rank }
    guard let oldest else { return }
    forgotten &+= 1
    oldest.key.withBytes { entries.set($0, hash: Hash64.hash($0), nil) }
  }

  var counters: (held: Int, forgotten: Int64) { lock.withLock { (entries.count, forgotten) } }

  // MARK: Keeping

  /// What other processes have stored since stays, but for lack of room: first those not used here go, in stored order, then
  /// the least recently used.
  func merge(into kept: [UInt8]?, under key: String) -> [UInt8]? {
    let known = lock.withLock { entries.all }
    var changed: [[UInt8]: Entry] = [:]
    var uses: [[UInt8]: UInt64] = [:]
    for (user, entry) in known {
      if entry.stored != nil { changed[user] = entry }
      uses[user] = entry.use >= Self.firstUse ? entry.use : nil
    }
    if changed.isEmpty {
      lock.withLock { lastMerge = Merge() }
      return kept
    }
    var result = kept.map { Self.profiles(in: $0) } ?? []
    var missing = changed
    for index in result.indices {
      guard let entry = missing.removeValue(forKey: result[index].user) else { continue }
      let theirs = StoredProfile(userID: result[index].user, json: result[index].json)
      result[index].json = theirs.adding(entry.news(for: theirs)) ?? result[index].json
    }
    for (user, entry) in missing { if let json = entry.profile.json { result.append(Kept(user: user, json: json)) } }
    // Sorting is stable.
    result.sort { (uses[$0.user] ?? 0) < (uses[$1.user] ?? 0) }
    result.removeFirst(max(0, result.count - capacity))
    lock.withLock { lastMerge = Merge(changed: changed, result: result) }
    return Self.text(of: result)
  }

  func wasKept() {
    let merge = lock.withLock {
      defer { lastMerge = Merge() }
      return lastMerge
    }
    take(merge.result, replacing: merge.changed)
  }

  /// Merges the stored profiles; of users that are new here, as many as there is room for.
  /// - Parameter written: the entries changed here, as they were when written.
  private func take(_ profiles: [Kept], replacing written: [[UInt8]: Entry] = [:]) {
    for kept in profiles.suffix(capacity) {
      _ = replace(kept.user, kept.user.withBytes { Hash64.hash($0) }) { mine in
        if mine == nil, entries.count >= capacity { return nil }
        // Changed here, and not in what is stored yet.
        if let mine, mine.stored != nil, written[kept.user] == nil { return nil }
        if let mine, mine.profile.json == kept.json, mine.stored == nil { return nil }
        return Self.entry(of: mine, written[kept.user], kept, orReadAt: nextRead())
      }
    }
  }

  /// With `lock` held.
  private func nextRead() -> UInt64 {
    reads &+= 1
    return min(reads, Self.firstUse - 1)
  }

  /// - Parameters:
  ///   - mine: as it is.
  ///   - written: as it was when it was written; what has come since is still to be.
  private static func entry(of mine: Entry?, _ written: Entry?, _ kept: Kept, orReadAt read: UInt64) -> Entry {
    let stored = StoredProfile(userID: kept.user, json: kept.json)
    guard let mine else { return Entry(stored, stored: nil, usedAt: read) }
    let since = written.map { mine.profile.news(since: $0.profile) } ?? []
    guard let json = stored.adding(since) else { return Entry(stored, stored: nil, usedAt: mine.use) }
    return Entry(StoredProfile(userID: kept.user, json: json), stored: stored, usedAt: mine.use)
  }

  private static func text(of profiles: [Kept]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in for profile in profiles { writer.raw(profile.json) } }
    return writer.bytes
  }

  private static func profiles(in bytes: [UInt8]) -> [Kept] {
    guard let document = try? JSONDocument(parsing: bytes) else { return [] }
    return document.withRoot { root in
      (root.array?.map { $0 } ?? []).compactMap { value in
        guard let user = value["user_id"]?.utf8, let json = try? value.text() else { return nil }
        return Kept(user: Array(user), json: json)
      }
    }
  }
}
