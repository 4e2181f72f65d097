internal import HoistBase
public import HoistCore

/// What the vendor's own calls need beyond the core's.
extension UnleashProvider {
  /// The current context in the vendor's form: properties, and the fixed fields over them (UNL-73). Any thread.
  var flattenedContext: [String: String] {
    if let frontend { return frontend.context.flattened }
    return host?.currentContext.map { FrontendContext.members(of: $0.frozen) } ?? [:]
  }

  /// Evaluations and impressions see the new context at once. Any thread.
  func changeContext(_ members: [String: String], _ properties: [String: String]) {
    contextChange.withLock {
      guard let frontend else { return setHostContext(FrontendContext.merged(members, properties: properties)) }
      var context = frontend.context
      context.update(context: members, properties: properties)
      carry(context, in: frontend)
    }
  }

  /// What fetches carry and what evaluations see change in one step, in the order of the host's calls.
  public var ownsCurrentContext: Bool { frontend != nil }

  public func beginIdentify(_ context: ContextReference, timeoutMilliseconds: Int64) -> (@Sendable (Status) -> Void)? {
    guard let frontend else { return nil }
    contextChange.withLock {
      var carried = frontend.context
      carried.update(context: FrontendContext.members(of: context.frozen), properties: [:])
      frontend.carry(carried)
      host?.setCurrentContext(context)
    }
    return nil
  }

  /// Evaluations see what the next fetch carries. Under `contextChange`.
  private func carry(_ context: FrontendContext, in frontend: FrontendSource) {
    frontend.carry(context)
    setHostContext(context.flattened)
  }

  /// One field or property of the current context (UNL-87); further changes of this turn are fetched with it.
  func setContextField(_ name: String, _ value: String?) {
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
      guard let self else { return }
      guard self.frontend != nil else { return self.source.contextChanged { _ in } }
      guard !self.isFetchPending else { return }
      self.isFetchPending = true
      self.host?.scheduler.post { [weak self] in
        self?.isFetchPending = false
        self?.fetchForContext { _ in }
      }
    }
  }

  var lastFailureStatus: Status { failureForReaders.withLock { $0 }?.unleashStatus ?? .ok }

  func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result {
    guard let host else { return body(nil) }
    return host.withSnapshot(body)
  }
}
