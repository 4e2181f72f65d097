internal import HoistBase
public import HoistCore

/// A variant that outlives its snapshot (rows UNL-29, UNL-30, UNL-32, UNL-33). Immutable.
public final class OwnedVariant: Sendable {
  public let name: CText
  /// A real variant was chosen.
  public let isEnabled: Bool
  /// As the service sent it; nil when it sent none.
  public let featureEnabled: Bool?
  /// The toggle's state.
  public let isFeatureEnabled: Bool
  public let payloadType: CText?
  public let payloadValue: CText?

  init(_ variant: borrowing UnleashVariant) {
    name = CText(variant.name)
    isEnabled = variant.enabled
    featureEnabled = variant.sentFeatureEnabled
    isFeatureEnabled = variant.featureEnabled
    payloadType = variant.payloadType.map { CText($0) }
    payloadValue = variant.payloadValue.map { CText($0) }
  }

  /// Of an unknown toggle.
  public static let disabled = OwnedVariant(name: "disabled")

  private init(name: String) {
    self.name = CText(name)
    isEnabled = false
    featureEnabled = false
    isFeatureEnabled = false
    payloadType = nil
    payloadValue = nil
  }
}
