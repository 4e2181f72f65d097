internal import HoistBase
internal import HoistCore

/// The host's own cache of hits (FS-105 to FS-108). Called on a lane of its own, one call at a time; a call that does
/// not return in time is set aside.
///
/// Hits are JSON texts of the form of protocols/flagship.md 6.2: an object with a record for each id.
public protocol HitCacheDelegate: AnyObject, Sendable {
  /// Keeps hits until they are flushed, in place of those of the same ids.
  /// - Returns: false when it failed; it is asked again.
  func cacheHits(_ hits: [UInt8]) -> Bool
  /// Answers with all cached hits, during the call or later, on any thread.
  func lookUpHits(_ question: CacheLookUp)
  /// - Returns: false when it failed; it is asked again.
  func flushHits(_ ids: [[UInt8]]) -> Bool
  /// Forgets everything, without exception.
  func flushAllHits() -> Bool
}
