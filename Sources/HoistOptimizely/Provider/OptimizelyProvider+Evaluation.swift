public import HoistBase
public import HoistCore
internal import HoistJSON

/// Profiles that the host keeps (4.6).
extension OptimizelyProvider: RecallingProvider {
  public var asksHost: Bool { profiles.isHosts && !settings.decideOptions.contains(.ignoreUserProfileService) }
  public func recall(_ context: ContextReference) -> any RecalledSubject { RecalledUser(context, profiles) }
}

/// What evaluating threads need: impressions, conversions, explanations.
extension OptimizelyProvider {
  public func countUnknown(
    _ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?
  ) {}

  /// The impressions of an evaluation of the core (3.3), and what is new in the user's profile (4.6).
  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    let decision = OptimizelyDecision(evaluation, snapshot: snapshot, record: record)
    let inherited = evaluation.inherited.map { FrozenContext($0) }
    let context = context ?? inherited
    OptimizelyImpressions.forEach(of: decision) { impression in
      if events.keep(impression, snapshot: snapshot, context: context) { return }
      let writer = EventWriter(base: snapshot.base, context: context, client: settings.events.client)
      events.record([writer.event(impression, events.stamp)])
    }
    guard let assignment = decision.newAssignment else { return }
    if let recalled = decision.subject?.pointee.recalled { return recalled._withUnsafeGuaranteedRef { $0.remember(assignment) } }
    profiles.save([assignment], of: context?.targetingKey.map { Array($0) } ?? [], lookedUp: nil)
  }

  /// The notification of impressions: the vendor's notification of a decision.
  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? {
    let decision = OptimizelyDecision(evaluation, snapshot: snapshot, record: record)
    guard let notice = DecisionNotice.flag(decision, reasons: []) else { return nil }
    return Notification(.impression, keys: [String(decoding: decision.flagKey, as: UTF8.self)], json: notice)
  }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    OptimizelyFlags.metadata(OptimizelyDecision(evaluation, snapshot: snapshot, record: record))
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    OptimizelyFlags.explain(&evaluation, snapshot: snapshot, record: record, context: context)
  }

  public func track(_ event: EventView, of subject: EventSubject) -> Status {
    if let status = eventsPort._withUnsafeGuaranteedRef({ $0.track(event, of: subject) }) {
      return told(status, String(decoding: event.key, as: UTF8.self))
    }
    return track(TrackedEvent(event, context: subject.reference()))
  }

  /// What is refused is named.
  private func told(_ status: Status, _ key: @autoclosure () -> String) -> Status {
    switch status {
    case .optimizelySDKNotReady: host?.refuse(key(), status, "no datafile is served yet") ?? status
    case .optimizelyUserIDInvalid: host?.refuse(key(), status, "its context has no targeting key") ?? status
    case .optimizelyEventKeyInvalid: host?.refuse(key(), status, "the datafile has no such event") ?? status
    default: status
    }
  }

  /// `trackEvent` through the core: properties are tags, the value is the tag `value` (OPT-63).
  public func track(_ event: TrackedEvent) -> Status {
    guard let host else { return .state }
    let tags = EventTags.document(of: event)
    let context = event.context?.frozen ?? host.currentContext?.frozen
    let events = events
    let (record, status) = host.withSnapshot { snapshot -> (UserEvent?, Status) in
      guard let snapshot else { return (nil, .optimizelySDKNotReady) }
      guard context?.targetingKey != nil else { return (nil, .optimizelyUserIDInvalid) }
      let stamp = EventStamp(unixMilliseconds: event.unixMilliseconds, uuid: events.stamp.uuid)
      func make(_ tags: JSONValue?) -> UserEvent? {
        OptimizelyConversions.event(
          event.key, tags: tags, in: snapshot, context: context, client: settings.events.client, stamp: stamp)
      }
      let made = tags.map { $0.withRoot { make($0) } } ?? make(nil)
      return (made, made == nil ? .optimizelyEventKeyInvalid : .ok)
    }
    guard let record else { return told(status, event.key) }
    return events.record([record])
  }
}
