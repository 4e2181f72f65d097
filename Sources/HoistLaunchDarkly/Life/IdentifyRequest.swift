internal import HoistCore

/// What is served of a new context until its flags are there (LD-86).
public enum CacheUsage: Int32, Sendable {
  /// What is kept of it, else nothing.
  case yes = 0
  /// The former flags.
  case no
  /// What is kept of it, else the former flags.
  case ifAvailable
}

/// One wish to change the context. `done` is told once: `.ok`, `.launchDarklyShed`, `.timeout`, or why it failed (LD-22).
final class IdentifyRequest: Sendable {
  let context: ContextReference
  let cacheUsage: CacheUsage
  /// Whether a newer one may take its place while it waits.
  let isSheddable: Bool
  let answer: LimitedAnswer

  init(
    _ context: ContextReference, cacheUsage: CacheUsage = .yes, isSheddable: Bool = true,
    done: @escaping @Sendable (Status) -> Void
  ) {
    self.context = context
    self.cacheUsage = cacheUsage
    self.isSheddable = isSheddable
    answer = LimitedAnswer(done)
  }
}
