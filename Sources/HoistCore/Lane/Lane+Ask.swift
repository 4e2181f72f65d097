internal import HoistBase
internal import Synchronization

extension Lane {
  /// Asks something that may block, and brings the answer to the scheduler's thread.
  ///
  /// `answer` runs exactly once: with what `work` returned within `limitNanoseconds`, or with nil
  /// when the limit passed, the lane refused the work, or `close` discarded it. What comes later is
  /// ignored. In a forked child the parent's questions get no answer.
  public func ask<Answer: Sendable>(
    withinNanoseconds limitNanoseconds: Int64, _ work: @escaping @Sendable () -> Answer,
    answer: @escaping @Sendable (Answer?) -> Void
  ) {
    let question = Question()
    let scheduler = scheduler
    let taken = perform(withinNanoseconds: limitNanoseconds) {
      let value = work()
      if question.answerOnce() { scheduler.post { answer(value) } }
    } abandoned: {
      if question.answerOnce() { answer(nil) }
    }
    if !taken && question.answerOnce() { scheduler.post { answer(nil) } }
  }

  /// Runs work that may block, and waits for its result on the calling thread, which must not be the scheduler's.
  ///
  /// - Returns: nil when the limit passed first, or the lane refused the work. A later result is ignored.
  public func answer<Value: Sendable>(
    withinNanoseconds limitNanoseconds: Int64, _ work: @escaping @Sendable () -> Value
  ) -> Value? {
    let answered = Completion<Value?>()
    let limit = max(1, limitNanoseconds)
    let deadline = SystemClock().monotonicNanoseconds.addingReportingOverflow(limit)
    let taken = perform(withinNanoseconds: limit) {
      answered.give(work())
    } abandoned: {
      answered.give(nil)
    }
    guard taken else { return nil }
    return answered.wait(untilNanoseconds: deadline.overflow ? .max : deadline.partialValue) ?? nil
  }

  private final class Question: Sendable {
    private let answered = Atomic(false)
    func answerOnce() -> Bool { !answered.exchange(true, ordering: .acquiringAndReleasing) }
  }
}
