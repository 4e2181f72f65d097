internal import HoistBase
public import HoistCore

/// What calls of the core record: as visitors of their contexts, who have consented as property `has_consented` says,
/// unless they are known to have refused; the shared visitor has its own consent.
extension FlagshipProvider {
  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    guard settings.exposes else { return }
    let inherited = evaluation.inherited.map { FrozenContext($0) }
    let context = context ?? inherited
    guard let value = FlagValue(evaluation, in: snapshot), let subject = subject(of: context) else { return }
    let fallback = evaluation.fallback?.pointee ?? EvaluationFallback()
    subject.identity.withIDs { visitorID, anonymousID in
      let exposure = Exposure(
        visitorID: visitorID, anonymousID: anonymousID, context: context, key: value.key, value: value.json,
        fallback: fallback, metadata: value.metadata)
      activates.expose(exposure, of: subject.identity, hasConsented: hasConsented(subject))
    }
  }

  /// What a fetch would bring is there.
  public func isSame(_ context: FrozenContext, as current: FrozenContext) -> Bool {
    visitors.shared.current?.fetchStatus == .fetched && context.says(theSameAs: current)
  }

  public func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool {
    settings.mode == .bucketing || isCurrent(context.base, current?.base)
  }

  /// An event: its action is the key; properties `category` and `label` are those of the hit, and its value is the hit's:
  /// a whole number from 0 on. What a hit cannot carry is refused.
  public func track(_ event: TrackedEvent) -> Status {
    let reference = event.context ?? host?.currentContext
    guard let subject = withExtendedLifetime(reference, { subject(of: reference?.frozen) }) else {
      return refuse(event, .argument, "it is of nobody: its context has no targeting key")
    }
    var category = Hit.EventCategory.actionTracking
    var label: [UInt8]?
    for (name, value) in event.properties {
      if name.utf8.elementsEqual("category".utf8), case .string(let text) = value {
        guard let named = Hit.EventCategory(named: text) else {
          return refuse(event, .argument, "its category is neither \"Action Tracking\" nor \"User Engagement\"")
        }
        category = named
      } else if name.utf8.elementsEqual("label".utf8), case .string(let text) = value {
        label = text
      } else {
        return refuse(event, .unsupported, "a hit cannot carry its property \"\(name)\"")
      }
    }
    var hit = Hit.event(category, action: event.key)
    if let label { try? hit.set(.label, text: label) }
    if let value = event.value {
      guard let whole = Int64(exactly: value), whole >= 0 else {
        return refuse(event, .flagshipHitInvalid, "its value \(value) is no whole number from 0 on, as the service wants it")
      }
      try? hit.set(.value, integer: whole)
    }
    return hits.send(hit, from: subject.identity, hasConsented: hasConsented(subject))
  }

  private func refuse(_ event: TrackedEvent, _ status: Status, _ why: String) -> Status {
    host?.refuse(event.key, status, why) ?? status
  }

  private typealias Subject = (identity: VisitorIdentity, shared: FlagshipVisitor?)

  /// The visitor of a context, if any.
  private func subject(of context: FrozenContext?) -> Subject? {
    let key = context?.targetingKey
    if let shared = visitors.shared.current {
      let identity = shared.snapshotOfState.identity
      let isShared = key.map { key in identity.visitorID.withUnsafeBytes { $0.hasSameBytes(as: key) } } ?? true
      if isShared { return (identity, shared) }
    }
    guard let key, !key.isEmpty else { return nil }
    return (VisitorIdentity(visitorID: Array(key)), nil)
  }

  private func hasConsented(_ subject: Subject) -> Bool {
    subject.shared?.hasConsented ?? visitors.consent(of: subject.identity.visitorID)
  }
}
