/// Hears of exposures that have arrived at the service (FS-26). Called on the delivery lane, one call at a time.
public protocol ExposureObserver: AnyObject, Sendable {
  /// Two JSON objects: the visitor as it was (FS-27), and the flag with the value it had (FS-28).
  func exposed(visitor: [UInt8], flag: [UInt8])
}
