public import HoistCore

/// Statuses of `hoist/optimizely.h`.
extension Status {
  public static var optimizelySDKNotReady: Status { Status(rawValue: 1100) }
  public static var optimizelyDatafileInvalid: Status { Status(rawValue: 1101) }
  public static var optimizelyDatafileVersionInvalid: Status { Status(rawValue: 1102) }
  public static var optimizelyDatafileDownloadFailed: Status { Status(rawValue: 1103) }
  public static var optimizelyDatafileLoadingFailed: Status { Status(rawValue: 1104) }
  public static var optimizelyDatafileRefused: Status { Status(rawValue: 1105) }

  public static var optimizelyEventKeyInvalid: Status { Status(rawValue: 1115) }
}
