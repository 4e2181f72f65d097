internal import HoistBase
public import HoistCore

/// What the host sets on a visitor.
extension KameleoonVisitor {
  /// KAM-56, KAM-57. What cannot be used is left out, and logged. With immediate durability it is stored when this
  /// returns, unless that takes too long.
  /// - Parameter isTracked: whether it is ever sent (KAM-B19).
  /// - Returns: `.limit` when there is no room for what is to be sent of it; it is there for targeting. `.unsaved` when it was
  ///   to be stored, and is in memory alone. `.state` after close, and without the client.
  public func add(_ data: [VisitorDatum], isTracked: Bool = true) -> Status {
    whileOpen { registry in add(data, isTracked: isTracked, registry) }
  }

  func add(_ data: [VisitorDatum], isTracked: Bool = true, _ registry: KameleoonVisitorRegistry) -> Status {
    let status = registry.change(self) { draft in for datum in data { draft.add(datum, isTracked: isTracked, time: draft.now) } }
    return registry.waitForCommit(of: self, status)
  }

  /// KAM-60: what the visitor has answered. Stored when this returns, likewise; else `.unsaved`.
  public func setLegalConsent(_ isGiven: Bool) -> Status {
    whileOpen { registry in
      let status = registry.change(self) { $0.content.consent = isGiven ? .given : .refused }
      registry.consentChanged(data)
      return registry.waitForCommit(of: self, status)
    }
  }

  public var legalConsent: LegalConsent { data.read { content, _ in content.consent } }

  /// KAM-B01: which variation the visitor gets in an experiment, as long as the process lives.
  /// - Parameters:
  ///   - key: nil ends it.
  ///   - forcesTargeting: whether it holds also where the rule's segment does not match.
  /// - Returns: `.kameleoonSDKNotReady`, `.kameleoonFeatureExperimentNotFound`, `.kameleoonFeatureVariationNotFound`.
  public func force(_ experimentID: Int64, variation key: [UInt8]?, forcesTargeting: Bool = true) -> Status {
    whileOpen { registry in
      let status = registry.host.withSnapshot { snapshot in
        guard let snapshot else { return Status.kameleoonSDKNotReady }
        return key.map { snapshot.statusOfForcing(experimentID, $0) } ?? .ok
      }
      guard status == .ok else { return status }
      registry.change(self) { draft in
        draft.content.forced.removeAll { $0.experimentID == experimentID }
        guard let key else { return }
        draft.content.forced.append(
          ForcedVariation(experimentID: experimentID, variationKey: key, forcesTargeting: forcesTargeting))
      }
      return .ok
    }
  }

  /// KAM-B27: the choice of a tester in a web page, which is neither stored nor sent.
  /// - Parameter text: of cookie `kameleoonSimulationFFData`, as the browser sends it or decoded; empty ends it.
  /// - Returns: `.parse` when it is no JSON object; then nothing changes.
  public func simulate(_ text: [UInt8]) -> Status {
    guard let simulated = SimulatedVariation.read(text) else { return .parse }
    return whileOpen { registry in
      registry.change(self) { $0.content.simulated = simulated }
      return .ok
    }
  }

  /// - Returns: `.state` when the client has closed, or is gone.
  func whileOpen(_ body: (KameleoonVisitorRegistry) -> Status) -> Status {
    withClient { client, registry in isClosed(client) ? .state : body(registry) } ?? .state
  }
}
