public import HoistCore

/// Hits (FS-71).
extension FlagshipFace {
  /// Why a hit was not taken, for people.
  public static func reason(_ status: Status, of hit: HitContent) -> String {
    switch status {
    case .flagshipHitInvalid: hit.flaw?.message ?? "the hit is refused"
    case .limit: "there is no room for the hit: too many wait, or it is too large"
    default: "the hit is dropped: \(status.flagshipReason)"
    }
  }
}
