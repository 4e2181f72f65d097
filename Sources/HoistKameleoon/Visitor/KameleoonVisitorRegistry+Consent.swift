internal import HoistBase
internal import HoistCore

/// What the tracker asks for, of visitors that are not open, too (KAM-60).
extension KameleoonVisitorRegistry: TrackedVisitors {
  func visitor(of code: [UInt8]) -> (any TrackedVisitor)? { people.handle(of: code) }

  var namedByHost: [any TrackedVisitor] { people.handles.filter(\.isNamedByHost) }

  func knownConsent(of identity: TrackingIdentity) -> Bool? {
    let data = people.record(of: identity.code) ?? people.record(of: identity.subject)
    return data?.read { content, _ in content.consent == .given }
  }

  func readConsent(of identity: TrackingIdentity, completion: @escaping @Sendable (Bool) -> Void) {
    host.scheduler.assertCurrent()
    readConsent(identity.code, linksLeft: 4) { [weak self] found in
      if let found { return completion(found) }
      guard let self, identity.subject != identity.code else { return completion(false) }
      readConsent(identity.subject, linksLeft: 4) { completion($0 ?? false) }
    }
  }

  /// What may be sent of them has changed.
  func consentChanged(_ data: VisitorData) { for visitor in data.visitors { tracker.consentChanged(visitor) } }

  func hearRefusals(of recipients: [TrackingRecipient], completion: @escaping @Sendable (_ isKnown: Bool) -> Void) {
    let known = recipients.compactMap { people.record(of: $0.identity.code) ?? people.record(of: $0.identity.subject) }
    hearRefusals(of: known, completion: completion)
  }

  private func hearRefusals(of known: [VisitorData], completion: (@Sendable (_ isKnown: Bool) -> Void)?) {
    guard requiresConsent, host.store.keepsValues else { return completion?(true) ?? () }
    let consenting = known.filter { $0.read { content, _ in content.consent == .given } }
    guard !consenting.isEmpty else { return completion?(true) ?? () }
    host.store.findRefusals(among: consenting.compactMap { data in data.storeKey.map { ($0, data) } }) { data, kept in
      data.hearRefusal(in: kept)
    } completion: { [weak self] refused, isKnown in
      for data in refused { self?.consentChanged(data) }
      completion?(isKnown)
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

extension KameleoonVisitorRegistry: StoreListener {
  /// Where visitors have to consent, announced refusals count at once; of those that are not in memory they are looked for before
  /// something goes.
  func hearRefusals() { if isReady, requiresConsent { host.store.hear(self) } }

  func storeChanged(_ keys: [String]?) {
    if let keys {
      return hearRefusals(of: keys.compactMap { PersonKey.id($0).flatMap { people.record(of: $0) } }, completion: nil)
    }
    guard looks.begin() else { return }
    hearRefusals(of: people.records) { [weak self] _ in
      if let self, looks.end() { storeChanged(nil) }
    }
  }
}
