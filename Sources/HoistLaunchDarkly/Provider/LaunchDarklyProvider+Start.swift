internal import HoistCore

/// Starts (5.1; LD-01 to LD-06), on the scheduler's thread.
extension LaunchDarklyProvider {
  /// From here on hosts are warned of waits that long.
  private static let longWaitMilliseconds: Int64 = 15_000

  /// Starts every environment.
  /// - Parameters:
  ///   - waitMilliseconds: `done` is told at the latest after these, with `.timeout`, while the start goes on; negative
  ///     waits for the end of the start, however long that takes.
  ///   - done: told once: `.ok` with the first flags of all, or when the client is offline.
  func startAll(waitMilliseconds: Int64, done: @escaping @Sendable (Status) -> Void) {
    guard let host else { return done(.cancelled) }
    guard !life.isBegun else {
      host.log.warning("start: the client has been started before")
      return done(.launchDarklyAlreadyStarted)
    }
    if waitMilliseconds > Self.longWaitMilliseconds {
      host.log.warning("start: a wait of \(waitMilliseconds) ms is long; recommended is less than \(Self.longWaitMilliseconds)")
    }
    let all = environments
    let answer = LimitedAnswer(done)
    let gathering = StatusGathering(all.count) { answer.give($0 == .superseded ? .ok : $0) }
    if waitMilliseconds >= 0 { answer.limit(host.scheduler, milliseconds: waitMilliseconds) }
    for (index, environment) in all.enumerated() { environment.begin { gathering.take($0, of: index) } }
  }

  /// Starts this environment, or goes on in a forked child.
  func begin(_ completion: @escaping @Sendable (Status) -> Void) {
    guard !life.isBegun, let host else { return completion(.launchDarklyAlreadyStarted) }
    let isResuming = life.isResuming
    life.begin()
    for part in parts { part.start() }
    if let subject = online.subject {
      // Its flags are still served.
      if !isResuming { identified(subject.context) }
      defer { letChange() }
      return online.set(host.isOnline, completion: completion)
    }
    let number = life.number
    guard let context = firstContext else {
      letChange()
      return completion(.limit)
    }
    understand(context) { [weak self] understood in
      guard let self, self.life.number == number else { return completion(.cancelled) }
      guard let understood else {
        self.letChange()
        return completion(.configuration)
      }
      self.flags.load(understood) { [weak self] cached in
        guard let self, self.life.number == number else { return completion(.cancelled) }
        self.serveFirst(understood, cached, context, completion)
      }
    }
  }

  /// No observer is told of what an earlier run has left (5.6).
  private func serveFirst(
    _ context: LDContext, _ cached: CachedFlags?, _ reference: ContextReference, _ completion: @escaping @Sendable (Status) -> Void
  ) {
    guard let host else { return completion(.cancelled) }
    let (_, isFromCache) = flags.change(
      to: context, fingerprint: reference.frozen.servedFingerprint, cached, keepingFormer: false)
    _ = online.change(to: Self.subject(context, isFromCache ? cached : nil))
    host.setCurrentContext(reference)
    if isFromCache { health.servesCached() }
    identified(context)
    online.set(host.isOnline, completion: completion)
    letChange()
  }

  /// Whoever wanted to change the context during the start may do so now.
  private func letChange() {
    // Nothing is left to wait for, where the start has found no context.
    if online.subject == nil {
      online.findsNoSubject()
      events.hasNoContext()
    }
    for change in life.settleContext() { change() }
    events.first.settle()
  }

  /// The property's, else an anonymous user (LD-02, ruling A8).
  private var firstContext: ContextReference? { givenContext?.reference ?? EvaluationContext().reference() }

  /// Whose events are recorded before the start has read what the store has of them.
  func expectFirstContext() {
    guard settings.autostart else { return }
    if let givenContext, preparation.isNothing(for: givenContext) {
      events.first.expect(givenContext)
    } else {
      events.first.awaitContext()
    }
  }

  /// The property's, checked.
  static func givenContext(_ settings: LaunchDarklySettings) throws(ConfigurationFailure) -> LDContext? {
    guard let json = settings.context else { return nil }
    do throws(ContextFailure) {
      return try LDContext.read(json: json)
    } catch {
      throw ConfigurationFailure("context", "property \"context\" is no context: \(error.message)")
    }
  }
}
