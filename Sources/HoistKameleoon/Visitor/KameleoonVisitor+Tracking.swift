internal import HoistBase
internal import HoistCore

/// A visitor as tracking uses it.
extension KameleoonVisitor: TrackedVisitor {
  /// Linked visitors' data is recorded under the code that it is stored under.
  var trackingIdentity: TrackingIdentity {
    let isUnique = isUnique
    return data.read { content, rest in
      TrackingIdentity(
        subject: content.code, code: code, isMappingValue: isUnique && content.mappingIdentifier != code,
        userAgent: rest.userAgent)
    }
  }

  /// Consent was given, or is not required (KAM-60; protocols/kameleoon.md 4.4).
  var hasConsentToTrack: Bool {
    data.read { content, _ in content.consent == .given } || !(withClient { $1.requiresConsent } ?? true)
  }

  /// Sent with every request: the visitor's identity on other devices (KAM-67); nil for none.
  var mappingDatum: TrackedDatum? {
    data.read { content, rest in
      guard let index = rest.mappingIndex, let place = content.customData.firstIndex(where: { $0.index == index }) else {
        return nil
      }
      let datum = content.customData[place]
      let sent = CustomData(index: index, values: datum.values, overwrites: datum.overwrites)
      return TrackedDatum(
        kind: .customData, key: VisitorDraft.key(index), place: Int64(place), content: .customData(sent, isMapping: true))
    }
  }

  /// A unique identifier without a link is linked with itself; before its lines are made (4.5).
  func linkToItself() {
    guard isUnique, data.read({ content, _ in content.mappingIdentifier == nil }) else { return }
    withClient { _, registry in
      guard let index = registry.definitions?.mappingIndex else { return }
      registry.change(self) { draft in
        draft.add(.customData(CustomData(index: index, values: [code])), isTracked: true, time: draft.now)
      }
    }
  }

  /// The exposures of these experiments have gone, or wait again.
  func exposures(_ experimentIDs: [Int64], areUnsent: Bool) {
    guard !experimentIDs.isEmpty else { return }
    change { draft in
      for id in experimentIDs { draft.content.assignments.setUnsent(areUnsent, of: id) }
    }
  }
}
