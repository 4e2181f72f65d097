internal import HoistCore
internal import Synchronization

/// A visitor as the tracker sees it. Thread-safe.
protocol TrackedVisitor: AnyObject, Sendable {
  var trackingMark: TrackingMark { get }
  var trackingIdentity: TrackingIdentity { get }
  /// Whether consent is given, or not required.
  var hasConsentToTrack: Bool { get }
  /// What links the visitor to another, or to itself (4.5); nil for nothing.
  var mappingDatum: TrackedDatum? { get }
  /// Links a unique visitor without a mapping identifier to itself, and records that (4.5). On the scheduler's thread.
  func linkToItself()
  /// Exposures of these experiments are on their way, or wait again.
  func exposures(_ experimentIDs: [Int64], areUnsent: Bool)
}

/// Where the tracker finds visitors, and what they have answered.
protocol TrackedVisitors: AnyObject, Sendable {
  /// If it is open.
  func visitor(of code: [UInt8]) -> (any TrackedVisitor)?
  /// The open ones that the host has asked for.
  var namedByHost: [any TrackedVisitor] { get }
  /// Whether a visitor that is not open has consented; nil where that is not in memory.
  func knownConsent(of identity: TrackingIdentity) -> Bool?
  /// The same from the store; false where nothing is stored. On the scheduler's thread, as the completion is.
  func readConsent(of identity: TrackingIdentity, completion: @escaping @Sendable (Bool) -> Void)
  /// Reads whether another client or process has stored a refusal of one of them that is in memory. On the scheduler's
  /// thread, as the completion is; false where the store cannot be asked.
  func hearRefusals(of recipients: [TrackingRecipient], completion: @escaping @Sendable (_ isKnown: Bool) -> Void)
}

/// Whether a visitor is in the tracker's queue: looked at by every evaluation that is tracked.
final class TrackingMark: Sendable {
  private let isQueued = Atomic<Bool>(false)

  init() {}

  /// Whether the visitor was not in the queue, and belongs there now.
  func set() -> Bool {
    if isQueued.load(ordering: .relaxed) { return false }
    return !isQueued.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// What is recorded from now on puts the visitor into the queue again.
  func clear() { _ = isQueued.exchange(false, ordering: .acquiringAndReleasing) }
}

/// A visitor whose data is to be sent.
struct TrackingRecipient: Sendable {
  typealias Completion = @Sendable (Status) -> Void

  /// nil for rows of another run while the visitor is not open: the rows carry its identity.
  var visitor: (any TrackedVisitor)?
  private var known: TrackingIdentity?
  /// Of one without a visitor: whether consent was given, as it was read; nil where it was not.
  var hasConsent: Bool?
  /// Told once what came of it.
  var completions: [Completion] = []

  init(_ visitor: any TrackedVisitor, completion: Completion? = nil) {
    self.visitor = visitor
    if let completion { completions = [completion] }
  }

  /// For rows of a visitor that is not open.
  init(_ identity: TrackingIdentity) { known = identity }

  /// Asked of the visitor only when its data is about to be sent.
  var identity: TrackingIdentity { known ?? visitor?.trackingIdentity ?? TrackingIdentity(subject: [], code: []) }

  mutating func identify() { known = visitor?.trackingIdentity ?? known }

  /// What its rows are recorded under; before it was linked to another, under its code.
  var subjects: [[UInt8]] { identity.subject == identity.code ? [identity.code] : [identity.subject, identity.code] }

  /// Whether both are the same one's.
  func isSame(as other: TrackingRecipient) -> Bool {
    identity.subject == other.identity.subject && identity.code == other.identity.code
  }
}
