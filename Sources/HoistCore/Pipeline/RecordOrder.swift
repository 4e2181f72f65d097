internal import HoistBase

/// The order of the records over one store, with immediate durability: one that was acknowledged as stored implies those that
/// were recorded before it, in whichever pipeline. Not all of them have a caller that waits: what an evaluation records, and
/// what a service records for itself, is in no journal. Thread-safe.
final class RecordOrder: Sendable {
  private let intakes = LockedValue<[EventIntake]>([])

  func add(_ intake: EventIntake) { intakes.withLock { $0.append(intake) } }
  func remove(_ intake: EventIntake) { intakes.withLock { $0.removeAll { $0 === intake } } }

  /// Waits until what was recorded so far, and is in no journal, is stored, or the store has failed to take it.
  /// - Parameter deadline: of the machine's monotonic clock.
  @inline(never)
  func settle(generation: UInt32, untilNanoseconds deadline: Int64) {
    let known = intakes.withLock { $0 }
    for intake in known where intake.hasLoose {
      let end = intake.looseEnd
      // In a forked child what was recorded before is the parent's.
      intake.abandon(generation: generation)
      intake.progress.waitForLoose(below: end, untilNanoseconds: deadline)
    }
  }
}
