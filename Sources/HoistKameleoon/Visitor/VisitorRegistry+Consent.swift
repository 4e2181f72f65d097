internal import HoistBase
internal import HoistCore

/// What those have answered whom nobody holds (KAM-60).
extension VisitorRegistry {
  /// Whether consent was given; nil where that is not in memory.
  func knownConsent(of identity: TrackingIdentity) -> Bool? {
    let data = places.data(of: identity.code) ?? places.data(of: identity.subject)
    return data?.read { content, _ in content.consent == .given }
  }

  /// The same, as it is kept; false where nothing is. On the scheduler's thread.
  func readConsent(of identity: TrackingIdentity, completion: @escaping @Sendable (Bool) -> Void) {
    readConsent(identity.code, linksLeft: 4) { [weak self] found in
      if let found { return completion(found) }
      guard let self, identity.subject != identity.code else { return completion(false) }
      readConsent(identity.subject, linksLeft: 4) { completion($0 ?? false) }
    }
  }

  private func readConsent(_ code: [UInt8], linksLeft: Int, completion: @escaping @Sendable (Bool?) -> Void) {
    storage.load(code) { [weak self] record in
      switch record {
      case .visitor(let content, _): completion(content.consent == .given)
      case .link(let owner, _) where linksLeft > 0 && owner != code:
        guard let self else { return completion(nil) }
        readConsent(owner, linksLeft: linksLeft - 1, completion: completion)
      case .link, nil: completion(nil)
      }
    }
  }
}
