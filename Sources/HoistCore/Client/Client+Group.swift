internal import HoistBase

/// A client and its further environments live one life: what is called here on one of them is done to all.
extension Client {
  /// The first environment of the group.
  var lead: Client { primary ?? self }

  var environmentsOfGroup: [Client] { lead.environments }

  /// Every client of the group, the first environment first.
  var companions: [Client] { [lead] + environmentsOfGroup }

  /// Every client of the group, the first environment first. Fixed for the client's life.
  public var members: [Client] { companions }

  /// Another environment of this one's group, from any of them; "" is the first. It lives as long as the first one:
  /// its handle is nobody's to free.
  public func environment(named name: String) -> Client? {
    companions.first { $0.environment.utf8.elementsEqual(name.utf8) }
  }

  /// Begins to fetch; returns at once.
  public func open() {
    onScheduler { client in for client in client.companions { client.provider?.start() } }
  }

  /// The current context from now on; `completion` runs once if the result is `.ok` (see `promise`), and never
  /// otherwise.
  public func identify(_ context: ContextReference?, completion: (@Sendable (Status) -> Void)?) -> Status {
    guard state != .closed else { return .state }
    resumeAfterFork()
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    return promiseIdentify(context, timeoutMilliseconds: -1, completion) { tell in
      prepare(context)
      onScheduler { client in
        guard client.state != .closed else { return tell(.cancelled) }
        client.askProviders(tell) { provider, answer in provider.identify(context, completion: answer) }
      }
      return .ok
    }
  }

  /// `identify`, waiting for its end; after a timeout the change goes on in the background.
  public func identifyAndWait(_ context: ContextReference?, timeoutMilliseconds: Int64) -> Status {
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    return waitIdentify(context, timeoutMilliseconds: timeoutMilliseconds) { client, tell in
      client.askProviders(tell) { provider, answer in provider.identify(context, completion: answer) }
    }
  }

  /// `promise` for a change of the context, of whose beginning and end the provider is told: `Provider.beginIdentify`.
  public func promiseIdentify(
    _ context: ContextReference, timeoutMilliseconds: Int64, _ completion: (@Sendable (Status) -> Void)?,
    _ begin: (@escaping @Sendable (Status) -> Void) -> Status
  ) -> Status {
    guard let ended = provider?.beginIdentify(context, timeoutMilliseconds: timeoutMilliseconds) else {
      return promise(completion, begin)
    }
    let status = promise({ status in
      ended(status)
      completion?(status)
    }, begin)
    if status != .ok { ended(status) }
    return status
  }

  /// `wait` for a change of the context, likewise.
  public func waitIdentify(
    _ context: ContextReference, timeoutMilliseconds: Int64,
    _ begin: @escaping @Sendable (Client, @escaping @Sendable (Status) -> Void) -> Void
  ) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    let stages = provider?.beginIdentify(context, timeoutMilliseconds: timeoutMilliseconds)
    prepare(context)
    guard let ended = stages else { return wait(timeoutMilliseconds: timeoutMilliseconds, begin) }
    var result = Status.cancelled
    // The end is told as one of the host's calls is: also when the client closes meanwhile.
    let refusal = promise(ended) { tell in
      result = wait(timeoutMilliseconds: timeoutMilliseconds, begin)
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

  /// The same with providers that tell when they are done.
  /// - Parameters:
  ///   - completion: as for `identify`.
  ///   - switching: does what `Provider.setOnline` does, on the scheduler's thread, and calls what it is given once.
  public func setOnline(
    _ online: Bool, completion: (@Sendable (Status) -> Void)?,
    _ switching: @escaping @Sendable (any Provider, @escaping @Sendable (Status) -> Void) -> Void
  ) -> Status {
    guard state != .closed else { return .state }
    resumeAfterFork()
    return promise(completion) { tell in
      for client in companions { client.status.setOnline(online) }
      onScheduler { $0.askProviders(tell, switching) }
      return .ok
    }
  }

  /// Sends what is recorded and waits for the answers, and until the store, too, knows of what has arrived: whoever has it
  /// next must not send that again. Negative waits without limit.
  public func flush(timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    let deadline = Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)
    let status = ask(timeoutMilliseconds) { provider, answer in provider.flush(completion: answer) }
    guard status == .ok else { return status }
    return scope.settleStores(untilNanoseconds: deadline) ? .ok : .timeout
  }

  private func ask(
    _ timeoutMilliseconds: Int64, _ question: @escaping @Sendable (any Provider, @escaping PendingAnswers.Tell) -> Void
  ) -> Status {
    wait(timeoutMilliseconds: timeoutMilliseconds) { client, tell in client.askProviders(tell, question) }
  }

  /// Begins something on the scheduler's thread and waits for its end, or for the end of the client.
  /// - Parameters:
  ///   - timeoutMilliseconds: negative waits without limit.
  ///   - begin: calls what it is given when it is done.
  /// - Returns: what `begin` has told; `.timeout`; `.cancelled` when the client closes meanwhile; `.state` when it has closed,
  ///   and on a thread of the library's own.
  public func wait(
    timeoutMilliseconds: Int64, _ begin: @escaping @Sendable (Client, @escaping @Sendable (Status) -> Void) -> Void
  ) -> Status {
    if Thread.isOwn || state == .closed { return .state }
    resumeAfterFork()
    let answer = Answer<Status>()
    let pending = pending
    // A client that closes from now on ends the wait.
    let (number, refusal) = pending.add { answer.give($0) }
    guard refusal == .ok else { return refusal }
    onScheduler { client in begin(client) { pending.answer(number, $0) } }
    return answer.wait(untilNanoseconds: Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)) ?? .timeout
  }

  /// On the scheduler's thread. `tell` gets one status when all have answered: of the first environment that did not
  /// succeed.
  private func askProviders(
    _ tell: @escaping PendingAnswers.Tell, _ question: (any Provider, @escaping PendingAnswers.Tell) -> Void
  ) {
    let providers = providersOfGroup
    guard !providers.isEmpty else { return tell(.state) }
    let gathering = StatusGathering(providers.count, tell)
    for (index, provider) in providers.enumerated() { question(provider) { gathering.take($0, of: index) } }
  }
}
