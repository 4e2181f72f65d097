public import HoistCore

extension Synchronizer: FlagConnection {}

/// Changes of the context (5.5), on the scheduler's thread.
extension LaunchDarklyProvider: IdentifyDelegate {
  /// The providers of all environments, the first one's first.
  var environments: [LaunchDarklyProvider] {
    let all = host?.providersOfGroup.compactMap { $0 as? LaunchDarklyProvider } ?? []
    return all.isEmpty ? [self] : all
  }

  /// The first environment's.
  var lead: LaunchDarklyProvider { environments.first ?? self }

  /// Changes every environment's context; done when all are.
  func run(_ request: IdentifyRequest, completion: @escaping @Sendable (Status) -> Void) {
    let all = environments
    let gathering = StatusGathering(all.count, completion)
    for (index, environment) in all.enumerated() { environment.change(to: request) { gathering.take($0, of: index) } }
  }

  private func change(to request: IdentifyRequest, completion: @escaping @Sendable (Status) -> Void) {
    guard life.isBegun else { return completion(.state) }
    if life.waitsForContext({ [weak self] in self?.change(to: request, completion: completion) }) { return }
    let number = life.number
    understand(request.context) { [weak self] context in
      guard let self, self.life.number == number else { return completion(.cancelled) }
      guard let context else { return completion(.argument) }
      if context == self.online.subject?.context {
        self.flags.respell(request.context.frozen.servedFingerprint)
        self.host?.setCurrentContext(request.context)
        self.identified(context)
        return completion(.ok)
      }
      self.flags.load(context) { [weak self] cached in
        guard let self, self.life.number == number else { return completion(.cancelled) }
        self.serve(context, cached, request, completion)
      }
    }
  }

  /// One step: whoever evaluates finds the former context's flags, or those of the new one.
  private func serve(
    _ context: LDContext, _ cached: CachedFlags?, _ request: IdentifyRequest, _ completion: @escaping @Sendable (Status) -> Void
  ) {
    guard let host else { return completion(.cancelled) }
    let keepsFormer = request.cacheUsage != .yes
    let (changes, isFromCache) = flags.change(
      to: context, fingerprint: request.context.frozen.servedFingerprint, request.cacheUsage == .no ? nil : cached,
      keepingFormer: keepsFormer)
    let wasOnline = online.change(to: Self.subject(context, isFromCache ? cached : nil))
    health.contextChanged(hasFlags: keepsFormer || isFromCache, isOnline: wasOnline)
    host.setCurrentContext(request.context)
    identified(context)
    // Emptying is not told: what changed is seen when the flags arrive (5.5).
    if isFromCache, !changes.isEmpty { observers.updated(changes) }
    host.notify(Notification(.contextChanged))
    online.set(wasOnline) { status in completion(status == .superseded ? .launchDarklyShed : status) }
  }

  /// The stages of the hooks (4.5, LD-81); of what is no context they are not told.
  public func beginIdentify(_ context: ContextReference, timeoutMilliseconds: Int64) -> (@Sendable (Status) -> Void)? {
    guard !hooks.isEmpty, let context = try? LDContext.read(context) else { return nil }
    guard let stages = hooks.beginIdentify(context.requestJSON, timeoutMilliseconds: timeoutMilliseconds) else { return nil }
    return { stages.end($0) }
  }

  static func subject(_ context: LDContext, _ cached: CachedFlags?) -> SynchronizedContext {
    SynchronizedContext(
      context: context, entityTag: cached?.entityTag ?? "", updatedUnixMilliseconds: cached?.updatedUnixMilliseconds)
  }

  func identified(_ context: LDContext) {
    hooks.contextChanged(context.requestJSON)
    for part in parts { part.identified(context) }
  }

  /// What a client takes a context for, with the keys and parts that it adds; nil when it is none.
  func understand(_ context: ContextReference, completion: @escaping @Sendable (LDContext?) -> Void) {
    let log = host?.log
    let refuse: @Sendable (ContextFailure) -> Void = { failure in
      log?.warning("this is no context: \(failure.message)")
      completion(nil)
    }
    let given: LDContext
    do throws(ContextFailure) {
      given = try LDContext.read(context)
    } catch {
      return refuse(error)
    }
    preparation.prepare(given) { prepared in
      switch prepared {
      case .success(let context): completion(context)
      case .failure(let failure): refuse(failure)
      }
    }
  }
}
