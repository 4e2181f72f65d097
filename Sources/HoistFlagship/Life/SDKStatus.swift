/// The state of the SDK (FS-38 to FS-42); the numbers of `hoist/flagship.h`.
public enum SDKStatus: Int32, Sendable {
  case notInitialized = 0
  /// The bucketing file is being downloaded, and there is no former one.
  case initializing
  case initialized
  /// Everything is switched off but fetching, which finds out when that is over.
  case panic
}
