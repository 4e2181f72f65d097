internal import HoistBase

/// A client and its further environments share one life cycle: a call here on one of them applies to all.
extension Client {
  /// The first environment of the group.
  var lead: Client { primary ?? self }

  var environmentsOfGroup: [Client] { lead.environments }

  /// Every client of the group, the first environment first.
  var companions: [Client] { [lead] + environmentsOfGroup }

  /// Every client of the group, the first environment first. Fixed for the client's life.
  public var members: [Client] { companions }

  /// Another environment of this one's group, from any of them; "" is the first. It lives as long as the first one: its
  /// handle must not be freed.
  public func environment(named name: String) -> Client? {
    companions.first { $0.environment.utf8.elementsEqual(name.utf8) }
  }

  /// Begins to fetch; returns at once.
  public func open() {
    for client in companions { client.provider?.opens() }
    onScheduler { client in for client in client.companions { client.provider?.start() } }
  }

  /// The current context from now on; `completion` runs once if the result is `.ok` (see `promise`), and never
  /// otherwise.
  public func identify(_ context: ContextReference?, completion: (@Sendable (Status) -> Void)?) -> Status {
    guard !isClosed else { return .state }
    resumeAfterFork()
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    if isCurrent(context) {
      repeatContext(context, timeoutMilliseconds: -1)
      return promise(completion) { tell in
        tell(.ok); return .ok
      }
    }
    return promiseIdentify(context, timeoutMilliseconds: -1, completion) { tell in
      prepare(context)
      beginChange()
      onScheduler { client in
        guard !client.isClosed else { return tell(.cancelled) }
        client.changeContext(to: context, tell)
      }
      return .ok
    }
  }

  /// Whether the flags of such a context are served already, in every environment: then nothing is asked for.
  public func isCurrent(_ context: ContextReference) -> Bool {
    companions.allSatisfy { client in
      guard client.life.isContextSettled, let current = client.currentContext, let provider = client.provider else {
        return false
      }
      if client.identified.withLock({ $0 == (context.frozen.fingerprint, current.frozen.fingerprint) }) { return true }
      return provider.isSame(context.frozen, as: current.frozen)
    }
  }

  /// An equal context asks for nothing, but a service may record that it was given, and its hooks are told.
  private func repeatContext(_ context: ContextReference, timeoutMilliseconds: Int64) {
    guard let provider, provider.hearsOfEqualContexts else { return }
    let ended = provider.beginIdentify(context, timeoutMilliseconds: timeoutMilliseconds)
    onScheduler { client in
      for client in client.companions { client.provider?.identify(context) { _ in } }
    }
    if let ended { callbacks.deliver { ended(.ok) } }
  }

  /// On the caller's thread: the next call must not take the former context for the current one.
  public func beginChange() {
    for client in companions { client.beginContextChange() }
  }

  /// `identify`, waiting for its end; after a timeout the change goes on in the background.
  public func identifyAndWait(_ context: ContextReference?, timeoutMilliseconds: Int64) -> Status {
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    if Thread.isOwn || isClosed { return .state }
    resumeAfterFork()
    if isCurrent(context) {
      repeatContext(context, timeoutMilliseconds: timeoutMilliseconds)
      return .ok
    }
    return waitIdentify(context, timeoutMilliseconds: timeoutMilliseconds, beginChange) { client, tell in
      client.changeContext(to: context, tell)
    }
  }

  /// Asks every environment's provider, and says what its client waits for. On the scheduler's thread.
  private func changeContext(to context: ContextReference, _ tell: @escaping PendingCompletions.Tell) {
    let group = companions
    let gathering = StatusGathering(group.count, tell)
    for (index, client) in group.enumerated() {
      let end: PendingCompletions.Tell = { status in
        if status == .ok, let made = client.currentContext?.frozen.fingerprint {
          client.identified.withLock { $0 = (context.frozen.fingerprint, made) }
        }
        client.endContextChange(status)
        gathering.take(status, of: index)
      }
      client.takeUpContextChange()
      if let provider = client.provider { provider.identify(context, completion: end) } else { end(.state) }
      client.awaitContext()
    }
  }

  /// `promise` for a change of the context, whose beginning and end the provider observes: `Provider.beginIdentify`.
  public func promiseIdentify(
    _ context: ContextReference, timeoutMilliseconds: Int64, _ completion: (@Sendable (Status) -> Void)?,
    _ begin: (@escaping @Sendable (Status) -> Void) -> Status
  ) -> Status {
    guard let ended = provider?.beginIdentify(context, timeoutMilliseconds: timeoutMilliseconds) else {
      return promise(completion, begin)
    }
    let status = promise(
      { status in
        ended(status)
        completion?(status)
      }, begin)
    if status != .ok { ended(status) }
    return status
  }

  /// `wait` for a change of the context, likewise.
  /// - Parameter prepared: on the caller's thread, unless the change is refused.
  public func waitIdentify(
    _ context: ContextReference, timeoutMilliseconds: Int64, _ prepared: () -> Void = {},
    _ begin: @escaping @Sendable (Client, @escaping @Sendable (Status) -> Void) -> Void
  ) -> Status {
    if Thread.isOwn || isClosed { return .state }
    resumeAfterFork()
    let stages = provider?.beginIdentify(context, timeoutMilliseconds: timeoutMilliseconds)
    func started() {
      prepare(context)
      prepared()
    }
    guard let ended = stages else { return wait(timeoutMilliseconds: timeoutMilliseconds, started, begin) }
    var result = Status.cancelled
    // The completion is called as for host calls, also when the client closes meanwhile.
    let refusal = promise(ended) { tell in
      result = wait(timeoutMilliseconds: timeoutMilliseconds, started, begin)
      tell(result)
      return .ok
    }
    guard refusal != .ok else { return result }
    ended(refusal)
    return refusal
  }

  /// Sets the context where the provider leaves that to the client.
  private func prepare(_ context: ContextReference) {
    for client in companions where client.provider?.ownsCurrentContext != true { client.setCurrentContext(context) }
  }

  public func setOnline(_ online: Bool) -> Status {
    setOnline(online, completion: nil) { provider, tell in
      provider.setOnline(online)
      tell(.ok)
    }
  }

  /// The same with providers that report when they are done.
  /// - Parameters:
  ///   - completion: as for `identify`.
  ///   - switching: does what `Provider.setOnline` does, on the scheduler's thread, and calls what it is given once.
  public func setOnline(
    _ online: Bool, completion: (@Sendable (Status) -> Void)?,
    _ switching: @escaping @Sendable (any Provider, @escaping @Sendable (Status) -> Void) -> Void
  ) -> Status {
    guard !isClosed else { return .state }
    resumeAfterFork()
    if online { services.prepareNetwork() }
    return promise(completion) { tell in
      for client in companions { client.tell(client.life.setOnline(online)) }
      onScheduler { client in
        for companion in client.companions { companion.forwarding.setOnline(online) }
        client.askProviders(tell, switching)
      }
      return .ok
    }
  }

  /// Sends what is recorded, waits for the answers, and until the store has noted the deliveries, so that no later
  /// process sends them again. Negative waits without limit.
  public func flush(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn || isClosed { return .state }
    resumeAfterFork()
    let deadline = Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)
    let status = ask(timeoutMilliseconds) { provider, answer in provider.flush { answer($0.status) } }
    guard status == .ok else { return status }
    return scope.settleStores(untilNanoseconds: deadline) ? .ok : .timeout
  }

  private func ask(
    _ timeoutMilliseconds: Int64, _ question: @escaping @Sendable (any Provider, @escaping PendingCompletions.Tell) -> Void
  ) -> Status {
    wait(timeoutMilliseconds: timeoutMilliseconds) { client, tell in client.askProviders(tell, question) }
  }

  /// Begins something on the scheduler's thread and waits for its end, or for the end of the client.
  /// - Parameters:
  ///   - timeoutMilliseconds: negative waits without limit.
  ///   - prepared: on the caller's thread, unless the call is refused.
  ///   - begin: calls what it is given when it is done.
  /// - Returns: the status that `begin` completed with; `.timeout`; `.cancelled` when the client closes meanwhile;
  ///   `.state` when it has closed, and on a thread of the library's own.
  public func wait(
    timeoutMilliseconds: Int64, _ prepared: () -> Void = {},
    _ begin: @escaping @Sendable (Client, @escaping @Sendable (Status) -> Void) -> Void
  ) -> Status {
    if Thread.isOwn || isClosed { return .state }
    resumeAfterFork()
    let answer = Completion<Status>()
    let pending = pending
    // A client that closes from now on ends the wait.
    let (number, refusal) = pending.add { answer.give($0) }
    guard refusal == .ok else { return refusal }
    prepared()
    onScheduler { client in begin(client) { pending.answer(number, $0) } }
    return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) ?? .timeout
  }

  /// On the scheduler's thread. `tell` gets one status when all have completed: that of the first environment that
  /// failed, if any.
  private func askProviders(
    _ tell: @escaping PendingCompletions.Tell, _ question: (any Provider, @escaping PendingCompletions.Tell) -> Void
  ) {
    let providers = providersOfGroup
    guard !providers.isEmpty else { return tell(.state) }
    let gathering = StatusGathering(providers.count, tell)
    for (index, provider) in providers.enumerated() { question(provider) { gathering.take($0, of: index) } }
  }
}
