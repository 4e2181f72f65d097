internal import HoistCore

/// What is served of a new context until its flags are there (LD-86).
public enum CacheUsage: Int32, Sendable {
  /// Its stored flags, else none.
  case yes = 0
  /// The former flags.
  case no
  /// Its stored flags, else the former flags.
  case ifAvailable
}

/// One request to change the context. `done` is called once: `.ok`, `.launchDarklyShed`, `.timeout`, or why it failed
/// (LD-22).
final class IdentifyRequest: Sendable {
  let context: ContextReference
  let cacheUsage: CacheUsage
  /// Whether a newer one may take its place while it waits.
  let isSheddable: Bool
  let answer: LimitedAnswer
  /// Told when it is over, whatever limit `answer` has.
  let ending = LimitedAnswer()

  init(
    _ context: ContextReference, cacheUsage: CacheUsage = .yes, isSheddable: Bool = true,
    done: @escaping @Sendable (Status) -> Void
  ) {
    self.context = context
    self.cacheUsage = cacheUsage
    self.isSheddable = isSheddable
    answer = LimitedAnswer()
    answer.tell(done)
  }

  /// - Returns: false when `done` was called before.
  @discardableResult
  func end(_ status: Status) -> Bool {
    ending.give(status)
    return answer.give(status)
  }
}
