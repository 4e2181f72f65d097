/// Hears of what concerns a client as a whole (FS-12, FS-26, FS-212). Called on the delivery lane, one call at a time.
public protocol FlagshipObserver: AnyObject, Sendable {
  func sdkStatusChanged(_ status: SDKStatus)
  /// Another bucketing file has come from the service.
  func bucketingChanged()
  /// Whether `exposed` is to be called: exposures are then recorded with what it tells.
  var hearsOfExposures: Bool { get }
  /// An exposure has arrived at the service. Two JSON objects: the visitor (FS-27) and the flag with its value (FS-28), both
  /// as of the exposure.
  func exposed(visitor: [UInt8], flag: [UInt8])
}
