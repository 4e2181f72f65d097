public import HoistCore

/// Why the data platform was not asked, or did not answer (protocols/optimizely.md 6).
public enum PlatformFailure: Error, Sendable, Equatable {
  case invalidIdentifier
  case fetchFailed(String)
  case eventFailed(String)
  case notIntegrated
  case notEnabled
  case invalidData
  case invalidAction
  /// Not the vendor's: what the host gave is not what it should be.
  case unreadable(String)
  // These are not the vendor's either.
  case closed
  case clientGone
  case ownThread
  case timeout

  /// The numbers of `hoist/optimizely.h`.
  public var status: Status {
    switch self {
    case .invalidIdentifier: Status(rawValue: 1120)
    case .fetchFailed: Status(rawValue: 1121)
    case .eventFailed: Status(rawValue: 1122)
    case .notIntegrated: Status(rawValue: 1123)
    case .notEnabled: Status(rawValue: 1124)
    case .invalidData: Status(rawValue: 1125)
    case .invalidAction: Status(rawValue: 1126)
    case .unreadable: .parse
    case .closed, .ownThread: .state
    case .clientGone: .optimizelySDKNotReady
    case .timeout: .timeout
    }
  }

  /// One line for people.
  public var message: String {
    switch self {
    case .invalidIdentifier: "fetching audience segments failed: the data platform does not know the user id"
    case .fetchFailed(let hint): "fetching audience segments failed: \(hint)"
    case .eventFailed(let hint): "the ODP event was not taken: \(hint)"
    case .notIntegrated: "ODP is not integrated: the datafile has no such integration"
    case .notEnabled: "ODP is not enabled: property \"odp.disable\" is true"
    case .invalidData: "ODP data is not valid: values are strings, numbers, booleans and null"
    case .invalidAction: "the ODP action is not valid: it is empty"
    case .unreadable(let message): message
    case .closed: "the client is closed"
    case .clientGone: "the client is gone"
    case .ownThread: "this call waits, and would keep a thread of the library's from what it waits for"
    case .timeout: "the data platform has not answered yet"
    }
  }
}
