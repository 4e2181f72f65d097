internal import HoistCore

extension Snapshot {
  /// Of campaigns: names of the flags that are new, gone, or may be decided differently.
  func changedCampaignFlags(since old: Snapshot?) -> [String] {
    changedNames(since: old) { $0.assumingMemoryBound(to: CampaignFlagRecord.self).pointee.fingerprint }
  }
}
