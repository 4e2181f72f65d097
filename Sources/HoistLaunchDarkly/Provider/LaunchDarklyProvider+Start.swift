internal import HoistCore

/// Starts (5.1; LD-01 to LD-06), on the scheduler's thread.
extension LaunchDarklyProvider {
  /// From here on hosts are warned of waits that long.
  private static let longWaitMilliseconds: Int64 = 15_000

  /// Starts every environment.
  /// - Parameters:
  ///   - waitMilliseconds: `done` is called at the latest after these, with `.timeout`, while the start goes on;
  ///     negative waits for the end of the start, however long that takes.
  ///   - done: called once: `.ok` with the first flags of all, or when the client is offline.
  func startAll(waitMilliseconds: Int64, done: @escaping @Sendable (Status) -> Void) {
    guard let host else { return done(.cancelled) }
    guard !life.isStarted else {
      host.log.warning("start: the client has been started before")
      return done(.launchDarklyAlreadyStarted)
    }
    if waitMilliseconds > Self.longWaitMilliseconds {
      host.log.warning("start: a wait of \(waitMilliseconds) ms is long; recommended is less than \(Self.longWaitMilliseconds)")
    }
    let all = environments
    let answer = LimitedAnswer()
    answer.tell(done)
    let gathering = StatusGathering(all.count) { answer.give($0 == .superseded ? .ok : $0) }
    if waitMilliseconds >= 0 { answer.limit(host.scheduler, milliseconds: waitMilliseconds) }
    for (index, environment) in all.enumerated() { environment.begin { gathering.take($0, of: index) } }
  }

  /// Starts this environment.
  private func begin(_ completion: @escaping @Sendable (Status) -> Void) {
    if life.start() { beginServing(completion) } else { completion(.launchDarklyAlreadyStarted) }
  }

  /// The parts have begun, for the first time, again, or in a forked child: so do the flags of the context.
  func beginServing(_ completion: @escaping @Sendable (Status) -> Void) {
    guard let host else { return completion(.cancelled) }
    if let subject = online.subject {
      if !gate.isInherited { identified(subject.context) }
      if flags.isServing { host.report(.serving("flags of before are served")) }
      defer { startIsOver() }
      return online.set(host.isOnline, completion: completion)
    }
    let mine = life.generation.current
    guard let context = firstContext else {
      startIsOver()
      return completion(.limit)
    }
    understand(context) { [weak self] understood in
      guard let self, life.generation.isCurrent(mine) else { return completion(.cancelled) }
      guard let understood else {
        startIsOver()
        return completion(.configuration)
      }
      flags.load(understood) { [weak self] cached in
        guard let self, life.generation.isCurrent(mine) else { return completion(.cancelled) }
        serveFirst(understood, cached, context, completion)
      }
    }
  }

  /// Flags of an earlier run are not announced to observers (5.6).
  private func serveFirst(
    _ context: LDContext, _ cached: CachedFlags?, _ reference: ContextReference,
    _ completion: @escaping @Sendable (Status) -> Void
  ) {
    guard let host else { return completion(.cancelled) }
    let (_, isFromCache) = flags.change(
      to: context, fingerprint: reference.frozen.servedFingerprint, cached, keepingFormer: false)
    _ = online.change(to: Self.subject(context, isFromCache ? cached : nil))
    host.setCurrentContext(reference)
    if isFromCache { host.report(.serving("flags from the store are served")) }
    identified(context)
    online.set(host.isOnline, completion: completion)
    startIsOver()
  }

  /// Runs the context changes that waited for the start.
  private func startIsOver() {
    // Nothing is left to wait for, where the start has found no context.
    if online.subject == nil {
      host?.report(.stopped(.configuration, "the context to start with cannot be used, and another one has to be identified"))
      online.findsNoSubject()
      events.hasNoContext()
    }
    host?.report(.initialized)
    gate.startIsOver()
    events.first.settle()
  }

  /// The property's, else an anonymous user (LD-02, ruling A8).
  private var firstContext: ContextReference? { givenContext?.reference ?? EvaluationContext().reference() }

  /// Sets the client's context, and that of events that are recorded before the start has read the store.
  func expectFirstContext() {
    if let firstContext { host?.setCurrentContext(firstContext) }
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
      return try json.withBytes { bytes in Result { () throws(ContextFailure) in try LDContext.read(given: bytes) } }.get()
    } catch {
      throw ConfigurationFailure("context", "property \"context\" is no context: \(error.message)")
    }
  }
}
