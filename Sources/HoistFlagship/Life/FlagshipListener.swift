/// Hears of what concerns a client as a whole (FS-12, FS-212). Called on the delivery lane, one call at a time.
public protocol FlagshipListener: AnyObject, Sendable {
  func sdkStatusChanged(_ status: SDKStatus)
  /// Another bucketing file has come from the service.
  func bucketingChanged()
}

/// The key of the plug-in among those that only Flagship knows.
public enum FlagshipLifePlugins {
  /// Holds a `FlagshipListener`.
  public static let listener = "flagship.listener"
}
