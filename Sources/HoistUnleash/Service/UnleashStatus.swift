public import HoistCore

/// Statuses of fetches in Unleash's kinds (row UNL-72); the numbers of `hoist/unleash.h`.
extension Status {
  public static var unleashURL: Status { Status(rawValue: 1000) }
  public static var unleashNetwork: Status { Status(rawValue: 1001) }
  public static var unleashNoResponse: Status { Status(rawValue: 1002) }
  public static var unleashUnhandledStatus: Status { Status(rawValue: 1003) }
  public static var unleashDecoding: Status { Status(rawValue: 1004) }
}

extension FetchFailure {
  var unleashStatus: Status {
    switch self {
    case .url: .unleashURL
    case .noResponse, .streamEnded: .unleashNoResponse
    case .network: .unleashNetwork
    case .unhandledStatus: .unleashUnhandledStatus
    case .decoding: .unleashDecoding
    }
  }
}
