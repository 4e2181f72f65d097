internal import HoistCore
internal import HoistJSON

/// A bucketing file, read as far as it concerns the SDK as a whole (3.3).
struct BucketingFile: Sendable {
  let stored: StoredDocument
  let document: JSONDocument
  let isPanic: Bool
  let account: AccountSettings

  /// nil when it is none: no JSON object, or neither campaigns nor panic in it.
  init?(_ stored: StoredDocument) {
    guard let document = try? JSONDocument(parsing: stored.bytes) else { return nil }
    let head = document.withRoot { root -> (isPanic: Bool, account: AccountSettings)? in
      guard root.kind == .object else { return nil }
      let isPanic = root["panic"]?.bool ?? false
      // `{"panic":true}` alone is a complete file.
      guard isPanic || root["campaigns"]?.array != nil else { return nil }
      return (isPanic, AccountSettings(root["accountSettings"]))
    }
    guard let head else { return nil }
    self.stored = stored
    self.document = document
    isPanic = head.isPanic
    account = head.account
  }
}
