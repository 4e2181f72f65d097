internal import HoistBase
internal import HoistCore

/// A bucketing file as the service sent it (3.3).
final class BucketingFile: Sendable {
  let bytes: [UInt8]
  /// The header it came with, word for word; nil for none.
  let lastModified: String?

  init(bytes: [UInt8], lastModified: String?) {
    self.bytes = bytes
    self.lastModified = lastModified
  }
}
