public import HoistCore

/// Statuses of fetches in Unleash's kinds (row UNL-72); the numbers of `hoist/unleash.h`.
extension Status {
  public static var unleashURL: Status { Status(rawValue: 1000) }
  public static var unleashNetwork: Status { Status(rawValue: 1001) }
  public static var unleashNoResponse: Status { Status(rawValue: 1002) }
  public static var unleashUnhandledStatus: Status { Status(rawValue: 1003) }
  public static var unleashDecoding: Status { Status(rawValue: 1004) }

  /// What calls of the core say of it.
  var core: Status {
    switch self {
    case .unleashDecoding: .parse
    case .unleashURL, .unleashNetwork, .unleashNoResponse, .unleashUnhandledStatus: .network
    default: self
    }
  }
}

/// Topics of Unleash's own events; the numbers of `hoist/unleash.h`.
extension Topic {
  /// The event `ready` (UNL-49).
  public static var unleashReady: Topic { Topic(ofService: 0) }
  /// The event `update` (UNL-50).
  public static var unleashUpdate: Topic { Topic(ofService: 1) }
}
