internal import HoistBase
public import HoistCore

/// What the vendor's own calls need beyond the core's.
extension UnleashProvider {
  /// The current context in the vendor's form: properties, and the fixed fields over them (UNL-73). Any thread.
  var flattenedContext: [String: String] {
    if let frontend { return frontend.context.flattened }
    return host?.currentContext.map { FrontendContext.members(of: $0.frozen) } ?? [:]
  }

  /// Evaluations and impressions see the new context at once; `contextHasChanged` follows. Any thread.
  func changeContext(_ members: [String: String], _ properties: [String: String]) {
    host?.beginContextChange()
    contextChange.withLock {
      guard let frontend else { return setHostContext(FrontendContext.merged(members, properties: properties)) }
      var context = frontend.context
      context.update(context: members, properties: properties)
      carry(context, in: frontend)
    }
  }

  /// What fetches carry and what evaluations see change in one step, in the order of the host's calls.
  public var ownsCurrentContext: Bool { frontend != nil }
  /// It has nothing to record of them, and would fetch.
  public var hearsOfEqualContexts: Bool { false }

  public func beginIdentify(_ context: ContextReference, timeoutMilliseconds: Int64) -> (@Sendable (Status) -> Void)? {
    warnOfFormless(context.frozen)
    guard let frontend else { return nil }
    contextChange.withLock {
      var carried = frontend.context
      carried.update(context: FrontendContext.members(of: context.frozen), properties: [:])
      frontend.carry(carried)
      host?.setCurrentContext(context)
    }
    return nil
  }

  /// Names, once each, attributes of a current context that are lists or objects: the service takes texts. Any thread.
  func warnOfFormless(_ context: FrozenContext) {
    for name in FrontendContext.formless(in: context) {
      let isFirst = leftOut.withLock { $0.count < Self.mostLeftOut && $0.insert(name).inserted }
      guard isFirst else { continue }
      host?.log.warning(
        "the context's attribute \"\(name.prefix(80))\" is left out: it is a list or an object, for which the service has no form"
      )
    }
  }

  private static var mostLeftOut: Int { 100 }

  /// Evaluations see what the next fetch carries. Under `contextChange`.
  private func carry(_ context: FrontendContext, in frontend: FrontendFlags) {
    frontend.carry(context)
    setHostContext(context.flattened)
  }

  /// One field or property of the current context (UNL-87); further changes of this turn are fetched with it.
  func setContextField(_ name: String, _ value: String?) {
    host?.beginContextChange()
    contextChange.withLock {
      guard let frontend else {
        var members = flattenedContext
        members[name] = value
        return setHostContext(members)
      }
      var context = frontend.context
      context.set(name, value)
      carry(context, in: frontend)
    }
    host?.scheduler.post { [weak self] in
      guard let self, let host else { return }
      // The changes of one turn are fetched together.
      if isFetchPending {
        host.takeUpContextChange()
        return host.endContextChange(.superseded)
      }
      isFetchPending = true
      host.scheduler.post { [weak self] in
        self?.isFetchPending = false
        self?.contextHasChanged { _ in }
      }
    }
  }

  /// What the vendor's own change of the context, which does not come through `identify`, makes of fetches. On the
  /// scheduler's thread.
  func contextHasChanged(completion: @escaping FlagSource.Completion) {
    guard let host else { return completion(.superseded) }
    host.takeUpContextChange()
    guard let frontend else {
      host.endContextChange(.ok)
      metrics.retryRefused()
      return source.retryRefused(completion)
    }
    fetchForContext(frontend.context) { outcome, status in
      host.endContextChange(status)
      completion(outcome)
    }
    host.awaitContext()
  }

  func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result {
    guard let host else { return body(nil) }
    return host.withPinnedSnapshot(body)
  }
}
