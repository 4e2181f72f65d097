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
    guard life.isStarted else { return completion(.state) }
    if gate.holdsBack({ [weak self] in self?.change(to: request, completion: completion) }) { return }
    let mine = life.generation.current
    understand(request.context) { [weak self] context in
      guard let self, let host, life.generation.isCurrent(mine) else { return completion(.cancelled) }
      guard let context else { return completion(.argument) }
      if context == online.subject?.context {
        flags.respell(request.context.frozen.servedFingerprint)
        host.setCurrentContext(request.context)
        identified(context)
        return completion(.ok)
      }
      flags.load(context) { [weak self] cached in
        guard let self, life.generation.isCurrent(mine) else { return completion(.cancelled) }
        serve(context, cached, request, completion)
      }
    }
  }

  /// One step: an evaluation finds the former context's flags, or those of the new one.
  private func serve(
    _ context: LDContext, _ cached: CachedFlags?, _ request: IdentifyRequest, _ completion: @escaping @Sendable (Status) -> Void
  ) {
    guard let host else { return completion(.cancelled) }
    let keepsFormer = request.cacheUsage != .yes
    let (changes, isFromCache) = flags.change(
      to: context, fingerprint: request.context.frozen.servedFingerprint, request.cacheUsage == .no ? nil : cached,
      keepingFormer: keepsFormer)
    let wasOnline = online.change(to: Self.subject(context, isFromCache ? cached : nil))
    host.setCurrentContext(request.context)
    identified(context)
    report(isFromCache: isFromCache, keepsFormer: keepsFormer)
    // Emptying is not announced: the changes are computed when the flags arrive (5.5).
    if isFromCache, !changes.isEmpty { observers.updated(changes) }
    online.set(wasOnline) { status in completion(status == .superseded ? .launchDarklyShed : status) }
  }

  /// What is served of a new context before the service has answered.
  private func report(isFromCache: Bool, keepsFormer: Bool) {
    host?.report(.unconfirmed("the service has not been asked for the new context"))
    if isFromCache {
      host?.report(.serving("stored flags of the new context are served"))
      host?.report(.contextServed)
    } else if !keepsFormer {
      host?.report(.emptied("the flags of the former context are dropped"))
    }
  }

  /// The stages of the hooks (4.5, LD-81); they are not called for an invalid context.
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
    events.identified(context)
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
    // Without a store, too, a key is one for all environments.
    lead.preparation.prepare(given) { prepared in
      switch prepared {
      case .success(let context): completion(context)
      case .failure(let failure): refuse(failure)
      }
    }
  }
}
