internal import HoistBase
internal import HoistCore

/// A user whose profile the host has been asked for, for evaluations of the core. Thread-safe.
final class RecalledUser: RecalledSubject, @unchecked Sendable {
  let context: ContextReference
  private let profiles: ProfileStore
  /// What `block` points into.
  private let found: StoredProfile?
  private let block: UnsafeMutablePointer<SubjectState>
  private let lock = Lock()
  // Guarded by `lock`.
  private var kept: StoredProfile?
  /// Each once: after the client's close nothing takes them away.
  private(set) var new: [SubjectContent.Assignment] = []

  init(_ context: ContextReference, _ profiles: ProfileStore) {
    self.context = context
    self.profiles = profiles
    let frozen = context.frozen
    found = frozen.targetingKey.flatMap { profiles.lookUp($0, hash: frozen.head.pointee.keyHash) }
    kept = found
    block = .allocate(capacity: 1)
    block.initialize(to: SubjectState())
    if let tables = found?.block?.tables { block.pointee.assignments = tables.assignments }
    block.pointee.recalled = Unmanaged.passUnretained(self)
  }

  deinit { block.deallocate() }

  var state: UnsafeRawPointer { UnsafeRawPointer(block) }

  /// In the reading section of an evaluation: kept when that is over.
  func remember(_ assignment: SubjectContent.Assignment) {
    lock.withLock { if !new.contains(assignment) { new.append(assignment) } }
  }

  func settle() {
    let (new, kept) = lock.withLock {
      defer { self.new = [] }
      return (self.new, self.kept)
    }
    let user = context.frozen.targetingKey.map { Array($0) } ?? []
    if let saved = profiles.save(new, of: user, lookedUp: kept) { lock.withLock { self.kept = saved } }
  }
}
