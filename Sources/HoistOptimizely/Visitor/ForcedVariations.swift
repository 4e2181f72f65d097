public import HoistBase
internal import Synchronization

/// Variations that the host has forced for users, by the ids of experiments (`OPT-66`, protocols/optimizely.md 4.5).
///
/// In memory only; they hold for every later datafile. Thread-safe.
public final class ForcedVariations: @unchecked Sendable {
  /// Users with forced variations; for more, nothing is remembered.
  public static let maximumUsers = 10_000

  /// One user's, as evaluators read them.
  final class Entry: Sendable {
    let assignments: [SubjectContent.Assignment]
    let block: OptimizelySubject?

    init(_ assignments: [SubjectContent.Assignment]) {
      self.assignments = assignments
      var content = SubjectContent()
      content.forcedVariations = assignments
      block = OptimizelySubject(content)
    }
  }

  private let lock = Lock()
  private var users = ByteMap<Entry>()
  /// Whether there are any: read by every decision.
  private let isUsed = Atomic<Bool>(false)

  public init() {}

  /// - Returns: false when there is no room for another user.
  public func set(_ assignment: SubjectContent.Assignment, for user: ByteView) -> Bool {
    change(user) { assignments in
      assignments.removeAll { $0.experimentID == assignment.experimentID }
      assignments.append(assignment)
    }
  }

  public func remove(experimentID: [UInt8], for user: ByteView) {
    _ = change(user) { assignments in assignments.removeAll { $0.experimentID == experimentID } }
  }

  private func change(_ user: ByteView, _ body: (inout [SubjectContent.Assignment]) -> Void) -> Bool {
    let hash = Hash64.hash(user)
    return lock.withLock {
      let known = users.find(user, hash: hash)
      var assignments = known?.assignments ?? []
      body(&assignments)
      if known == nil, users.count >= Self.maximumUsers { return assignments.isEmpty }
      users.set(user, hash: hash, assignments.isEmpty ? nil : Entry(assignments))
      isUsed.store(users.count > 0, ordering: .releasing)
      return true
    }
  }

  /// The id of the variation that is forced for a user in an experiment.
  public func variationID(inExperiment id: ByteView, for user: ByteView) -> [UInt8]? {
    entry(of: user, hash: Hash64.hash(user))?.assignments.first { $0.experimentID.withBytes { $0.hasSameBytes(as: id) } }?
      .variationID
  }

  @inline(__always)
  func entry(of user: ByteView, hash: @autoclosure () -> UInt64) -> Entry? {
    guard isUsed.load(ordering: .acquiring) else { return nil }
    let hash = hash()
    return lock.withLock { users.find(user, hash: hash) }
  }
}
