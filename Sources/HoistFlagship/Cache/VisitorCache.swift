internal import HoistBase

/// A host's own cache of visitors (FS-100, FS-102 to FS-104; protocols/flagship.md 6.1). Called on a lane, one call at a
/// time; one that does not return is set aside.
public protocol VisitorCache: AnyObject, Sendable {
  /// - Parameter json: the record, complete.
  func cache(_ visitorID: [UInt8], _ json: [UInt8])
  /// Answers during the call or later, on any thread.
  func lookUp(_ visitorID: [UInt8], _ question: CacheLookUp)
  func flush(_ visitorID: [UInt8])
}

/// Names of Flagship's own kinds of plug-ins in `Plugins.vendor`.
public enum FlagshipPlugins {
  /// A `VisitorCache`.
  public static let visitorCache = "flagship.visitor_cache"
  /// A `HitCacheDelegate`.
  public static let hitCache = "flagship.hit_cache"
}
