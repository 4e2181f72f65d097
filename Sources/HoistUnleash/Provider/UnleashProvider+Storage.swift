public import HoistBase
public import HoistCore

/// Toggles in a storage of the host's own (row UNL-60; protocol D.3.6): replaced as a whole when flags arrive, asked
/// at every read.
extension UnleashProvider: ExternalFlags {
  public var hasExternalFlags: Bool { hostStorage != nil && frontend != nil }

  public func external(_ key: ByteView) -> Snapshot? {
    guard let toggle = hostStorage?.value(String(decoding: key, as: UTF8.self)) else { return nil }
    let document = UnleashToggle.document([toggle])
    return try? document.withBytes { bytes in
      Result { try UnleashToggles.compile(bytes, context: nil, externalOptions).snapshot }
    }.get()
  }

  public func finish(external snapshot: Snapshot) {
    metrics.recorder.countExternal(snapshot)
    snapshot.destroy()
  }

  /// Hands the storage what is served now, on a lane: it is host code.
  func fillHostStorage(_ snapshot: Snapshot) {
    guard let hostStorageQueue, let host else { return }
    hostStorageQueue.set(UnleashToggle.list(snapshot), over: host)
  }

  /// Runs it when the storage has the flags that arrived before; at once where there is none.
  func afterHostStorage(_ work: @escaping @Sendable () -> Void) {
    if let hostStorageQueue { hostStorageQueue.afterwards(work) } else { work() }
  }

  /// Nothing is served until the next flags arrive.
  func dropBootstrap() {
    frontend?.clear()
    guard let hostStorage else { return }
    host?.onPluginLane { hostStorage.clear() }
  }
}

extension UnleashToggle {
  /// The toggles of a frontend snapshot.
  static func list(_ snapshot: Snapshot) -> [UnleashToggle] {
    (0..<snapshot.flagCount).map { index in
      let record = snapshot.record(at: index)
      var evaluation = Evaluation(want: .any)
      snapshot.head.pointee.evaluate(snapshot.base, record, nil, &evaluation)
      var toggle = UnleashToggle(
        name: String(decoding: snapshot.name(of: record), as: UTF8.self), isEnabled: evaluation.enabled,
        hasImpressionData: evaluation.effects.contains(.impression))
      guard evaluation.variationIndex >= 0 else { return toggle }
      let variant = UnleashVariant(evaluation, snapshot: snapshot, record: record)
      func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }
      toggle.variant = Variant(
        name: text(variant.name), isEnabled: variant.enabled, featureEnabled: variant.sentFeatureEnabled,
        payload: variant.payloadType.map { Payload(type: text($0), value: variant.payloadValue.map { text($0) } ?? "") })
      return toggle
    }
  }
}
