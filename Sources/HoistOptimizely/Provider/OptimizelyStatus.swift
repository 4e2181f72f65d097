public import HoistCore

/// Statuses of `hoist/optimizely.h`.
extension Status {
  public static var optimizelySDKNotReady: Status { Status(rawValue: 1100) }
  public static var optimizelyDatafileInvalid: Status { Status(rawValue: 1101) }
  public static var optimizelyDatafileVersionInvalid: Status { Status(rawValue: 1102) }
  public static var optimizelyDatafileDownloadFailed: Status { Status(rawValue: 1103) }
  public static var optimizelyDatafileLoadingFailed: Status { Status(rawValue: 1104) }
  public static var optimizelyDatafileRefused: Status { Status(rawValue: 1105) }

  public static var optimizelyFeatureKeyInvalid: Status { Status(rawValue: 1110) }
  public static var optimizelyExperimentKeyInvalid: Status { Status(rawValue: 1111) }
  public static var optimizelyVariationUnknown: Status { Status(rawValue: 1112) }
  public static var optimizelyVariableKeyInvalid: Status { Status(rawValue: 1113) }
  public static var optimizelyVariableValueInvalid: Status { Status(rawValue: 1114) }
  public static var optimizelyEventKeyInvalid: Status { Status(rawValue: 1115) }
  public static var optimizelyUserIDInvalid: Status { Status(rawValue: 1116) }
  public static var optimizelyEventTagsInvalid: Status { Status(rawValue: 1117) }
}
