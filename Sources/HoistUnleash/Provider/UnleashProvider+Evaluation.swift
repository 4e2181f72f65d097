public import HoistBase
public import HoistCore
internal import HoistJSON

/// What evaluating threads need: counts of unknown flags, impressions, metadata, explanations.
extension UnleashProvider {
  public func countUnknown(
    _ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?
  ) {
    metrics.recorder.countUnknown(key, isVariantRead: want != .bool)
  }

  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {}

  /// UNL-53, UNL-56: toggle, state, variant for variant reads only, the context as it is now.
  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? {
    guard let host else { return nil }
    let name = String(decoding: snapshot.name(of: record), as: UTF8.self)
    let isVariantRead = evaluation.want != .bool
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("toggleName")
    writer.string(name)
    writer.key("enabled")
    writer.bool(isVariantRead && options.mode == .backend ? evaluation.variationIndex >= 0 : evaluation.enabled)
    if isVariantRead {
      writer.key("variant")
      writer.string(utf8: evaluation.variation.bindMemory(to: UInt8.self))
    }
    writer.key("context")
    write(context, evaluation.inherited.map { FrozenContext($0) }, to: &writer)
    writer.key("eventId")
    writer.string(UUIDv4(from: host.entropy).text)
    writer.key("eventType")
    writer.string(isVariantRead ? "getVariant" : "isEnabled")
    writer.key("impressionData")
    writer.bool(true)
    writer.endObject()
    return Notification(.impression, keys: [name], json: writer.bytes)
  }

  /// All that decided the flag: the call's context, and what it inherits.
  private func write(_ context: FrozenContext?, _ inherited: FrozenContext?, to writer: inout JSONWriter) {
    writer.object { writer in
      var members = FrontendContext.members(of: context, over: inherited)
      if let frontend { members["sessionId"] = members["sessionId"] ?? frontend.context.sessionID }
      members["appName"] = members["appName"] ?? options.appName
      members["environment"] = members["environment"] ?? options.environment
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        writer.key(name)
        writer.string(value)
      }
    }
  }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    UnleashFlags.metadata(snapshot: snapshot, record: record)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    UnleashFlags.explain(&evaluation, snapshot: snapshot, record: record, context: context)
  }

  public func isSame(_ context: FrozenContext, as current: FrozenContext) -> Bool {
    frontend == nil
      ? context.fingerprint == current.fingerprint : ContextFingerprint(current).accepts(ContextFingerprint(context))
  }

  public func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool {
    frontend == nil || snapshot.map { isServed(context.base, current?.base, $0.root()) } ?? false
  }

  public func track(_ event: TrackedEvent) -> Status { TrackedEventText.withView(of: event) { metrics.track($0) } }

  /// No reference is counted on the way: threads that track at once would wait for each other's counting.
  public func track(_ event: EventView, of subject: EventSubject) -> Status {
    metricsPort._withUnsafeGuaranteedRef { $0.track(event) }
  }
}
