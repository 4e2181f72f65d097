public import HoistBase
public import HoistCore

/// A variant in Unleash's words, as read from an evaluation; its texts live as long as the snapshot.
public struct UnleashVariant {
  /// "disabled" when none was chosen. NUL-terminated, as all texts here.
  public let name: ByteView
  /// A real variant was chosen.
  public let enabled: Bool
  /// Frontend mode: the member `feature_enabled` as the service sent it, nil when it sent none; in backend
  /// mode the flag's state. False for a flag without a variant, even when it is on (`UNL-32`).
  public let sentFeatureEnabled: Bool?
  /// The flag's state.
  public let featureEnabled: Bool
  /// As the service wrote it, e.g. "string", "json", "csv", "number"; nil without a payload.
  public let payloadType: ByteView?
  public let payloadValue: ByteView?

  /// - Parameter evaluation: of this record, with any `want` but `.bool`.
  public init(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer) {
    let base = snapshot.base
    let flag = record.assumingMemoryBound(to: UnleashFlagRecord.self)
    let root: UnsafePointer<SnapshotRoot> = snapshot.root()
    name = evaluation.variation.baseAddress == nil ? root.pointee.disabledName.bytes(base) : evaluation.variation
    let isOn = evaluation.enabled
    let index = evaluation.variationIndex
    guard index >= 0, index < flag.pointee.variantCount else {
      enabled = false
      sentFeatureEnabled = root.pointee.isFrontend ? false : isOn
      featureEnabled = isOn
      payloadType = nil
      payloadValue = nil
      return
    }
    let variants = base.at(flag.pointee.variants)
    let variant = variants + Int(index)
    enabled = variant.pointee.enabled
    if root.pointee.isFrontend {
      let sent = flag.pointee.sentFeatureEnabled
      sentFeatureEnabled = sent < 0 ? nil : sent == 1
      featureEnabled = sent < 0 ? isOn : sent == 1
    } else {
      sentFeatureEnabled = isOn
      featureEnabled = isOn
    }
    let hasPayload = variant.pointee.payloadKind != .none
    payloadType = hasPayload ? variant.pointee.payloadType.bytes(base) : nil
    payloadValue = hasPayload ? variant.pointee.payload.bytes(base) : nil
  }
}
