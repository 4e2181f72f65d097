internal import HoistCore

/// A bucketing file as it came, and what it says (3.3).
struct BucketingFile {
  let stored: StoredDocument
  /// Its snapshot is the receiver's.
  let campaigns: ServedCampaigns

  /// Refuses what is no JSON object, and what has neither campaigns nor panic in it: `{"panic":true}` alone is complete.
  init(_ stored: StoredDocument, _ options: CampaignOptions) throws(CampaignFailure) {
    let campaigns = try BucketingReader.read(stored.bytes, options)
    guard campaigns.isPanic || campaigns.hasCampaigns else {
      campaigns.snapshot.destroy()
      throw CampaignFailure(message: "the bucketing file cannot be used: it has no campaigns")
    }
    self.stored = stored
    self.campaigns = campaigns
  }
}
