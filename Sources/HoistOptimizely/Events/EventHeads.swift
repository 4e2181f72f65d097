internal import HoistBase
internal import HoistCore

/// The parts of events that are the same for all of a datafile. Immutable.
final class EventHead: Sendable {
  let snapshot: UInt64
  let projectID: [UInt8]
  let revision: [UInt8]
  let region: OptimizelyRegion
  /// The body up to and with the bracket of `visitors`.
  let body: [UInt8]

  init(snapshot: UInt64, projectID: [UInt8], revision: [UInt8], region: OptimizelyRegion, body: [UInt8]) {
    (self.snapshot, self.projectID, self.revision, self.region, self.body) = (snapshot, projectID, revision, region, body)
  }
}

/// Keeps the head of the datafile that was used last: a decision with an event does not write it again. Thread-safe.
final class EventHeads: @unchecked Sendable {
  private let lock = Lock()
  private var latest: EventHead?

  func head(of snapshot: UInt64, _ make: () -> EventHead) -> EventHead {
    if let kept = lock.withLock({ latest }), kept.snapshot == snapshot { return kept }
    let made = make()
    return lock.withLock {
      latest = made
      return made
    }
  }
}
