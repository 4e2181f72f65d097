/// A host's own cache of visitors (FS-100, FS-102 to FS-104; protocols/flagship.md 6.1). Called on a lane, one call at a
/// time; one that does not return is set aside.
public protocol VisitorCache: AnyObject, Sendable {
  /// - Parameter json: the record, complete.
  func cache(_ visitorID: [UInt8], _ json: [UInt8])
  /// - Parameter reply: called with the record or with nil, now or later, on any thread. The first call counts, unless it
  ///   comes too late.
  func lookUp(_ visitorID: [UInt8], reply: @escaping @Sendable ([UInt8]?) -> Void)
  func flush(_ visitorID: [UInt8])
}

/// Names of Flagship's own kinds of plug-ins in `Plugins.vendor`.
public enum FlagshipPlugins {
  /// A `VisitorCache`.
  public static let visitorCache = "flagship.visitor_cache"
}
