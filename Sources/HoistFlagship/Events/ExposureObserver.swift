/// Hears of exposures that have arrived at the service (FS-26). Called on the delivery lane, one call at a time.
public protocol ExposureObserver: AnyObject, Sendable {
  /// Two JSON objects: the visitor (FS-27) and the flag with its value (FS-28), both as of the exposure.
  func exposed(visitor: [UInt8], flag: [UInt8])
}
