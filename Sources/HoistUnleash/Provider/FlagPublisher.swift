internal import HoistBase
internal import HoistCore

/// Serves flags. Where the host has its own storage of toggles, fetched flags are stored there before they are
/// announced (protocol D.1, D.3.6; row UNL-60). On the scheduler's thread but where it says otherwise.
final class FlagPublisher: @unchecked Sendable {
  private let host: any ProviderHost
  private let storage: HostStorage?

  init(host: any ProviderHost, storage: (any UnleashStorage)?) {
    self.host = host
    self.storage = storage.map { HostStorage($0) }
  }

  var hasStorage: Bool { storage != nil }

  /// A toggle in the host's storage; any thread.
  func stored(_ key: ByteView) -> UnleashToggle? { storage?.value(key) }

  /// Readable at once.
  func serve(_ snapshot: Snapshot) {
    storage?.set(UnleashToggle.list(snapshot), over: host, isReadableAtOnce: true)
    _ = publish(snapshot)
  }

  /// Readable when the host's storage has them.
  /// - Parameters:
  ///   - isWanted: asked then.
  ///   - then: called after that with whether they differ from the former ones.
  func serve(
    _ snapshot: Snapshot, isWanted: @escaping @Sendable () -> Bool, then: @escaping @Sendable (_ hasChanges: Bool) -> Void
  ) {
    guard let storage else { return then(publish(snapshot)) }
    storage.set(UnleashToggle.list(snapshot), over: host, isReadableAtOnce: false)
    storage.afterwards { [weak self] in
      guard let self, isWanted() else { return snapshot.destroy() }
      then(publish(snapshot))
    }
  }

  private func publish(_ snapshot: Snapshot) -> Bool {
    let changed = host.withSnapshot { UnleashFlags.changedKeys(old: $0, new: snapshot) }
    host.publish(snapshot, changed: changed)
    return !changed.isEmpty
  }

  /// Empties the host's storage, after what it was given before.
  func clear() { storage?.clear(over: host) }

  /// Runs what still waits for the host's storage.
  func release() { storage?.release() }
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
