internal import HoistBase
public import HoistCore

/// The context (FS-59 to FS-63; protocols/flagship.md 4.6). Refused while the SDK is not initialized and in panic.
extension FlagshipVisitor {
  /// Sets pairs. Those that cannot be set are left out, and logged.
  /// - Returns: `.flagshipContextRefused` when one was left out.
  public func updateContext(_ pairs: [Attribute]) -> Status {
    if let refusal = toldRefusal(of: "a change of the context") { return refusal }
    return changeContext { context, change in
      context.set(pairs) { change.refused.append($0) }
      // Also when no value is another one (FS-47), but not when none was taken.
      change.isOne = pairs.isEmpty || change.refused.count < pairs.count
    }
  }

  /// FS-60: the pairs of a JSON object; nil when it is none.
  public static func pairs(ofJSON json: [UInt8]) -> [Attribute]? { json.withBytes { VisitorContext.pairs(ofJSON: $0) } }

  /// FS-62: what the SDK sets stays.
  public func clearContext() -> Status {
    if let refusal = toldRefusal(of: "a change of the context") { return refusal }
    return changeContext { context, change in
      context = VisitorContext()
      change.automatic.load(into: &context, isFirstTime: isFirst)
    }
  }

  /// Replaces all pairs that the host has set.
  func replaceContext(_ pairs: [Attribute]) -> Status {
    changeContext { context, change in
      context = VisitorContext()
      context.set(pairs) { change.refused.append($0) }
      change.automatic.load(into: &context, isFirstTime: isFirst)
    }
  }

  struct ContextChange {
    let automatic: AutomaticContext
    var refused: [VisitorContext.Refusal] = []
    /// False where nothing was taken.
    var isOne = true
  }

  private func changeContext(_ body: (inout VisitorContext, inout ContextChange) -> Void) -> Status {
    withClient { client, registry in
      let refused = change { content, turns in
        var pairs = content.pairs
        var change = ContextChange(automatic: registry.automatic)
        body(&pairs, &change)
        guard change.isOne, let context = registry.automatic.reference(pairs, visitorID: content.identity.visitorID) else {
          return change.refused
        }
        content.pairs = pairs
        content.context = context
        content.progress = .contextUpdated
        turns.contextChanged()
        return change.refused
      }
      for refusal in refused { client.log.error(refusal.message) }
      return refused.isEmpty ? .ok : .flagshipContextRefused
    } ?? .flagshipNotInitialized
  }
}

/// Consent and experience continuity.
extension FlagshipVisitor {
  /// An earlier refusal of a visitor that the host has not answered for now.
  func adoptRefusal() {
    change { content, _ in content.hasConsented = false }
    forgetReport()
  }

  /// FS-64 to FS-67 (5.6). Every call is reported, also one that changes nothing, but not while the SDK is not initialized
  /// or in panic; what a refusal erases goes then, too.
  public func setConsent(_ hasConsented: Bool) -> Status {
    let identity = change { content, _ in
      content.hasConsented = hasConsented
      return content.identity
    }
    if !hasConsented { forgetReport() }
    withClient { client, registry in
      if !client.isClosed { registry.consentGiven(hasConsented, identity, isReported: refusal == nil) }
    }
    return .ok
  }

  /// FS-68: the visitor is known from now on; its flags have to be fetched (FS-70).
  public func authenticate(as id: [UInt8]) -> Status { changeIdentity(.authenticated, id) { $0.authenticate(as: id) } }

  /// FS-69
  public func unauthenticate() -> Status { changeIdentity(.unauthenticated, nil) { $0.unauthenticate() } }

  /// - Parameter id: nil where none is needed.
  private func changeIdentity(
    _ progress: FetchProgress, _ id: [UInt8]?, _ body: (inout VisitorIdentity) -> Void
  ) -> Status {
    if let refusal = toldRefusal(of: id == nil ? "unauthenticating a visitor" : "authenticating a visitor") { return refusal }
    return withClient { client, registry in
      guard !registry.decidesHere else {
        client.log.error("visitors are not authenticated or unauthenticated in bucketing mode")
        return .unsupported
      }
      if let id, id.isEmpty {
        client.log.error("a visitor is authenticated with an id that is not empty")
        return .argument
      }
      if let id, isOwnID(id) {
        client.log.error("a visitor is authenticated with another id than it has while it is anonymous")
        return .argument
      }
      let (status, former): (Status, FetchTurns.Abandoned?) = change { content, turns in
        var identity = content.identity
        body(&identity)
        guard let context = registry.automatic.reference(content.pairs, visitorID: identity.visitorID) else {
          return (.limit, nil)
        }
        content.identity = identity
        content.context = context
        content.progress = progress
        return (.ok, turns.identityChanged())
      }
      former?.end()
      registry.telemetry?.identityChanged(snapshotOfState, isAuthenticated: id != nil)
      return status
    } ?? .flagshipNotInitialized
  }

  /// Whether the visitor bears the id while it is anonymous: under both names the service refuses it.
  private func isOwnID(_ id: [UInt8]) -> Bool {
    let identity = snapshotOfState.identity
    return id == identity.anonymousID ?? identity.visitorID
  }

  /// Why the host may not change the visitor now, with a line in the log (4.6).
  private func toldRefusal(of change: StaticString) -> Status? {
    guard let refusal else { return nil }
    withClient { client, _ in client.log.warning("\(change) is refused: \(refusal.flagshipReason)") }
    return refusal
  }
}
