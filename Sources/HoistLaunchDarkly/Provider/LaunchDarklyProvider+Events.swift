public import HoistBase
public import HoistCore

/// What is recorded for the host, and the hooks around it (4.4.4, 4.5).
extension LaunchDarklyProvider {
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: JSON text; nil for none.
  func track(_ key: ByteView, data: ByteView?, metric: Double?) -> Status {
    let status = events.track(key, data: data, metric: metric)
    if status.isTaken { hooks.tracked(key, data: data, metric: metric) }
    return status
  }

  public func track(_ event: TrackedEvent) -> Status {
    let status = events.track(event)
    if status.isTaken, !hooks.isEmpty {
      let data = event.properties.isEmpty ? nil : EventRecorder.document(of: event.properties)
      event.key.withBytes { key in
        if let data {
          data.withBytes { hooks.tracked(key, data: $0, metric: event.value) }
        } else {
          hooks.tracked(key, data: nil, metric: event.value)
        }
      }
    }
    return status
  }

  public func accepts(_ context: FrozenContext, current: FrozenContext?, in snapshot: Snapshot?) -> Bool {
    snapshot?.flagsRoot.map { isServed(context.base, current?.base, $0) } ?? false
  }

  /// LaunchDarkly's events are of the client's context: see `accepts`.
  public func track(_ event: EventView, of subject: EventSubject) -> Status {
    let (events, hooks) = ports
    return EventData.with(event) { data in
      let status = events._withUnsafeGuaranteedRef {
        $0.track(event.key, data: data, metric: event.value, at: event.unixMilliseconds)
      }
      if status.isTaken { hooks._withUnsafeGuaranteedRef { $0.tracked(event.key, data: data, metric: event.value) } }
      return status
    }
  }

  /// An evaluation that has no cell to be counted in.
  public func countUnknown(
    _ key: ByteView, want: WantedType, fallback: UnsafePointer<EvaluationFallback>?, context: FrozenContext?
  ) {
    events.countUnknown(key, fallback?.pointee)
  }

  public var evaluationHooks: [any EvaluationHook] { hooks.evaluationHooks }
}
