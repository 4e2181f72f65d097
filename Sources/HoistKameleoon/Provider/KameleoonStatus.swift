public import HoistCore

/// Statuses of `hoist/kameleoon.h` (protocols/kameleoon.md 5.3; KAM-73).
extension Status {
  public static var kameleoonSDKNotReady: Status { Status(rawValue: 1400) }
  public static var kameleoonSiteCodeIsEmpty: Status { Status(rawValue: 1401) }
  public static var kameleoonVisitorCodeInvalid: Status { Status(rawValue: 1402) }

  public static var kameleoonFeatureNotFound: Status { Status(rawValue: 1410) }
  public static var kameleoonFeatureEnvironmentDisabled: Status { Status(rawValue: 1411) }
  public static var kameleoonFeatureVariationNotFound: Status { Status(rawValue: 1412) }
  public static var kameleoonFeatureVariableNotFound: Status { Status(rawValue: 1413) }
  public static var kameleoonFeatureExperimentNotFound: Status { Status(rawValue: 1414) }
  /// The visitor's refusal blocks every evaluation (§7-A25).
  public static var kameleoonFeatureEvaluationBlocked: Status { Status(rawValue: 1415) }
}
