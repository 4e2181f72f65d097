public import HoistBase
public import HoistCore

/// Flags in LaunchDarkly's words; any thread.
extension LaunchDarklyFace {
  /// Every flag's value as a JSON object (LD-25), null included; nil before the start and after the close. Counts nothing.
  public var allFlags: [UInt8]? {
    client.state == .closed ? nil : (client as any ProviderHost).allFlagValues()
  }

  /// A value of a type of the caller's choosing (LD-60, LD-61). One evaluation, of type WRONG_TYPE if the value does not
  /// convert.
  /// - Parameters:
  ///   - convert: gets the value as JSON text, outside any lock; false when it does not convert. Not called for a value
  ///     that is null or not there.
  ///   - fallback: JSON text, for events.
  /// - Returns: whether the value was converted, and how it was determined.
  public func decode(
    _ key: ByteView, fallback: EvaluationFallback, isDetailed: Bool, _ convert: (ByteView) -> Bool
  ) -> (isConverted: Bool, detail: EvaluationDetail) {
    let value = client.evaluate(key, nil, .any, [], fallback) { evaluation, detail in
      (kind: evaluation.kind, text: detail.value)
    }
    let isConverted = value.kind != .none && convert(ByteView(value.text.buffer))
    var want = WantedType.any
    // A value that does not convert is of the wrong type: asked for as a type that it has not.
    if value.kind != .none, !isConverted { want = value.kind == .bool ? .string : .bool }
    let mode: EvaluationMode = isDetailed ? [.counted, .detailed] : .counted
    return client.evaluate(key, nil, want, mode, fallback) { evaluation, detail in
      (isConverted && evaluation.kind != .none, detail)
    }
  }
}
