internal import HoistBase
public import HoistCore

/// What a visitor does, and sees.
extension FlagshipVisitor {
  /// FS-71: records a hit, unless the visitor has refused (FS-65).
  public func send(_ hit: borrowing Hit) -> Status { send(hit.content) }

  /// The same of what is borrowed for the call.
  public func send(_ hit: HitContent) -> Status {
    withClient { client, registry in
      guard !client.isClosed else { return .flagshipNotInitialized }
      let state = snapshotOfState
      let status = unlessRefused(state, registry, registry.reports.hits.send(hit, from: state.identity, hasConsented: state.hasConsented))
      if status == .ok { registry.telemetry?.sent(hit, of: state) }
      return status
    } ?? .flagshipNotInitialized
  }

  /// FS-79: records that the visitor saw a flag's value.
  /// - Parameters:
  ///   - value: of this visitor's flags, which the caller holds.
  ///   - state: of the moment the value was read.
  ///   - fallback: what the caller named in its place; of the kind `.none` where there was none.
  @inline(never)
  func expose(_ value: FlagValue, key: ByteView, fallback: EvaluationFallback, state: VisitorState) -> Status {
    withClient { client, registry in
      guard !client.isClosed else { return .flagshipNotInitialized }
      let activates = registry.reports.activates
      return state.identity.withIDs { visitorID, anonymousID in
        let exposure = Exposure(
          visitorID: visitorID, anonymousID: anonymousID, context: state.context, key: key, value: value.json,
          fallback: fallback, metadata: activates.isTold ? value.metadata : value.ids)
        let status = unlessRefused(state, registry, activates.expose(exposure, hasConsented: state.hasConsented))
        if status == .ok, let telemetry = registry.telemetry, telemetry.isAsked { telemetry.exposed(exposure, of: state) }
        return status
      }
    } ?? .flagshipNotInitialized
  }

  /// A refusal that came while something was recorded takes that away too: it purged what was there before.
  private func unlessRefused(_ state: VisitorState, _ registry: VisitorRegistry, _ status: Status) -> Status {
    guard status == .ok, !hasConsented else { return status }
    registry.reports.forget(state.identity)
    return .flagshipNoConsent
  }
}
