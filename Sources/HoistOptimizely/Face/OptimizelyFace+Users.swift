internal import HoistBase
public import HoistCore
internal import HoistJSON

/// User contexts, forced variations, observers (`OPT-21`, `OPT-66`, `OPT-69`).
extension OptimizelyFace {
  /// - Parameters:
  ///   - id: nil for the anonymous visitor of this installation.
  ///   - attributes: nil for none; copied.
  /// - Returns: nil when there is no anonymous visitor.
  public func user(_ id: [UInt8]?, attributes: EvaluationContext?) -> OptimizelyUser? {
    guard let id = id ?? vuid.map({ Array($0.utf8) }) else {
      client.log.error("a user context needs a user id: there is no anonymous visitor id")
      return nil
    }
    let own = attributes?.copy() ?? EvaluationContext()
    own.setTargetingKey(id)
    provider.platform?.events.identify(id)
    let user = OptimizelyUser(client: client, services: provider.visitors, attributes: own)
    for attribute in own.content.attributes { user.tellOfUnusable(attribute.name, attribute.value) }
    return user
  }

  /// - Parameter variationKey: nil takes the forced variation back.
  /// - Returns: false for an unknown experiment or variation, and before there is a datafile.
  public func setForcedVariation(_ experimentKey: [UInt8], user: [UInt8], _ variationKey: [UInt8]?) -> Bool {
    withSnapshot { snapshot in
      guard let variationKey else {
        guard let id = OptimizelyFlags.experimentID(experimentKey, in: snapshot) else { return false }
        user.withBytes { provider.forcedVariations.remove(experimentID: Array(id), for: $0) }
        return true
      }
      let assignment = OptimizelyFlags.forcedVariation(
        experimentKey: experimentKey, variationKey: variationKey, in: snapshot)
      guard let assignment else { return false }
      return user.withBytes { provider.forcedVariations.set(assignment, for: $0) }
    } ?? false
  }

  /// The key of the variation that is forced; nil when none is, or it is not in the datafile any more.
  public func forcedVariation(_ experimentKey: [UInt8], user: [UInt8]) -> [UInt8]? {
    withSnapshot { snapshot in
      guard let id = OptimizelyFlags.experimentID(experimentKey, in: snapshot),
        let variation = user.withBytes({ provider.forcedVariations.variationID(inExperiment: id, for: $0) })
      else { return nil }
      return OptimizelyFlags.variationKey(ofExperiment: experimentKey, withID: variation, in: snapshot).map { Array($0) }
    } ?? nil
  }

  /// - Returns: a token for `Client.unobserve`; 0 when there is no room.
  public func observe(_ kind: NotificationKind, _ observer: any OptimizelyObserver) -> UInt64 {
    provider.notifications.add(kind, observer)
  }

  /// - Parameter kind: nil for all.
  public func unobserveAll(_ kind: NotificationKind?) { provider.notifications.removeAll(kind) }

  /// - Returns: nil before there is a datafile, and after close.
  func withSnapshot<Result>(_ body: (Snapshot) -> Result) -> Result? {
    client.resumeAfterFork()
    guard !client.isClosed else { return nil }
    return client.withSnapshot { $0.map(body) }
  }
}
