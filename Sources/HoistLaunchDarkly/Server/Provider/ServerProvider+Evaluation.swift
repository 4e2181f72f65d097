internal import CShims
internal import HoistBase
internal import HoistCore

/// What evaluating threads and hosts' calls need.
extension ServerProvider {
  /// Offline, and with nothing to decide by, the service's own clients record nothing (5.1).
  func countUnknown(
    _ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?
  ) {
    guard let host, let context, context.isOfService, host.isOnline || host.withSnapshot({ $0 != nil }) else { return }
    events.unknown(key, fallback?.pointee, of: context)
  }

  func record(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?) {
    if let context { events.record(evaluation, snapshot: snapshot, record: record, context: context) }
  }

  /// LaunchDarkly announces no impressions: what is counted is in the summary.
  func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    ServerMetadata.json(evaluation, snapshot, record)
  }

  func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    snapshot.head.pointee.evaluate(snapshot.base, record, context?.base, &evaluation)
    return ServerExplanation.json(evaluation, snapshot, record, context)
  }

  /// JSON of a flag's value for one context, which is not counted (11.1). Any thread.
  func value(of key: [UInt8], for context: ContextReference) -> [UInt8] {
    defer { withExtendedLifetime(context) {} }
    let value = host?.withSnapshot { snapshot -> [UInt8]? in
      guard let snapshot, let record = key.withBytes({ snapshot.find($0) }) else { return nil }
      var evaluation = Evaluation(want: .json)
      snapshot.head.pointee.evaluate(snapshot.base, record, context.frozen.base, &evaluation)
      return evaluation.kind == .json ? Array(evaluation.text) : nil
    }
    return (value ?? nil) ?? Self.noValue
  }

  static let noValue = Array("null".utf8)

  // MARK: Events of the host

  func track(_ event: TrackedEvent) -> Status {
    let data = event.properties.isEmpty ? nil : EventRecorder.document(of: event.properties)
    return event.key.withBytes { key in
      func track(_ data: ByteView?) -> Status {
        self.track(key, data: data, metric: event.value, of: event.context ?? host?.currentContext, at: event.unixMilliseconds)
      }
      return data.map { $0.withBytes { track($0) } } ?? track(nil)
    }
  }

  func track(_ event: EventView, of subject: EventSubject) -> Status {
    EventData.with(event) { data in
      track(event.key, data: data, metric: event.value, of: subject.reference(), at: event.unixMilliseconds)
    }
  }

  /// - Parameter data: JSON text; nil for none.
  func track(
    _ key: ByteView, data: ByteView?, metric: Double?, of context: ContextReference?, at unixMilliseconds: Int64? = nil
  ) -> Status {
    guard let host else { return .cancelled }
    let name = { String(decoding: key, as: UTF8.self) }
    guard let context else {
      return host.refuse(name(), .argument, Self.noContext)
    }
    guard context.frozen.isOfService else { return host.refuse(name(), .argument, "its context is none: \(Self.contextRule)") }
    let status = events.track(key, data: data, metric: metric, of: context.frozen, at: unixMilliseconds)
    if status.isTaken { hooks.tracked(key, data: data, metric: metric, of: context) }
    return status
  }
}

extension FrozenContext {
  /// Whether flags are decided for it, and events are of it.
  var isOfService: Bool {
    var texts = TextArena()
    return ServerContext(base, &texts) != nil
  }
}
