internal import HoistBase
public import HoistCore

/// What a visitor does, and sees.
extension FlagshipVisitor {
  /// FS-71: records a hit, unless the visitor has refused (FS-65).
  public func send(_ hit: borrowing Hit) -> Status { send(hit.content) }

  /// The same of what is borrowed for the call. Where it `waitsForStore`, the caller keeps the visitor alive.
  public func send(_ hit: HitContent) -> Status {
    let status =
      waitsForStore
      ? withClient { send(hit, of: snapshotOfState, $0, $1) } : read { send(hit, of: $2, $0, $1) }
    return status ?? .flagshipNotInitialized
  }

  @inline(__always)
  private func send(_ hit: HitContent, of state: VisitorState, _ client: Client, _ registry: FlagshipVisitorRegistry) -> Status {
    guard !client.isClosed else { return .flagshipNotInitialized }
    let status = registry.reports.hits.send(hit, from: state.identity, hasConsented: hasConsented)
    if status == .ok, registry.reportsUsage { registry.telemetry?.sent(hit, of: state) }
    return status
  }

  /// FS-79: records that the visitor saw a flag's value.
  /// - Parameters:
  ///   - value: of this visitor's flags, which the caller holds.
  ///   - state: of the moment the value was read.
  ///   - fallback: what the caller named in its place; of the kind `.none` where there was none.
  @inline(never)
  func expose(_ value: FlagValue, key: ByteView, fallback: EvaluationFallback, state: VisitorState) -> Status {
    read { client, registry, _ in
      guard !client.isClosed else { return .flagshipNotInitialized }
      let activates = registry.reports.activates
      return state.identity.withIDs { visitorID, anonymousID in
        let exposure = Exposure(
          visitorID: visitorID, anonymousID: anonymousID, context: state.context, key: key, value: value.json,
          fallback: fallback, metadata: activates.isTold ? value.metadata : value.ids)
        let status = activates.expose(exposure, of: state.identity, hasConsented: hasConsented)
        if status == .ok, registry.reportsUsage { registry.telemetry?.exposed(exposure, of: state) }
        return status
      }
    } ?? .flagshipNotInitialized
  }
}
