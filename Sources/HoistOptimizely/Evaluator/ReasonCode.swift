/// Why a decision came about, as a stable code (protocols/optimizely.md 4.11).
public enum ReasonCode: String, BitwiseCopyable, Sendable {
  case sdkNotReady, featureKeyInvalid, variableValueInvalid, invalidJSONVariable
  /// No code of the vendor's.
  case rulesTooCostly
  case experimentNotRunning, holdoutNotRunning
  case userHasForcedDecision, userHasForcedDecisionButInvalid
  case userHasForcedVariation, userHasForcedVariationButInvalid
  case forcedVariationFound, forcedVariationFoundButInvalid
  case gotVariationFromUserProfile
  case userNotInExperiment
  case conditionNoMatchingAudience, conditionCannotBeEvaluated, evaluateAttributeInvalidCondition
  case evaluateAttributeInvalidType, evaluateAttributeValueOutOfRange, evaluateAttributeInvalidFormat
  case userAttributeInvalidType, userAttributeInvalidMatch, userAttributeInvalidName
  case nilAttributeValue, missingAttributeValue
  case userAssignedToBucketValue
  case userBucketedIntoExperimentInGroup, userNotBucketedIntoExperimentInGroup
  case userNotBucketedIntoAnyExperimentInGroup, groupHasNoTrafficAllocation
  case experimentHasNoTrafficAllocation, userBucketedIntoInvalidVariation
  case userBucketedIntoVariationInExperiment, userNotBucketedIntoVariation
  case userMeetsConditionsForTargetingRule, userDoesntMeetConditionsForTargetingRule
  case userBucketedIntoTargetingRule, userNotBucketedIntoTargetingRule
  case userMeetsConditionsForHoldout, userDoesntMeetConditionsForHoldout
  case userBucketedIntoVariationInHoldout, userNotBucketedIntoHoldoutVariation
  case holdoutExcludesTargetedDeliveries
  case featureHasNoExperiments, noRolloutExists, rolloutIdInvalid, rolloutHasNoExperiments
  case userNotInCmabExperiment, cmabFetchSuccess, cmabFetchFailed, cmabNotSupportedInSyncMode

  /// The code as hosts see it, e.g. `experimentNotRunning`.
  public var name: String { rawValue }

  /// Errors are reported even where reasons were not requested.
  public var isError: Bool {
    switch self {
    case .sdkNotReady, .featureKeyInvalid, .variableValueInvalid, .invalidJSONVariable, .cmabFetchFailed, .rulesTooCostly: true
    default: false
    }
  }
}

/// One entry of a decision's reasons.
public struct DecisionReason: Sendable, Equatable {
  public let code: ReasonCode
  /// One sentence for people; literal for the four that the vendor's compatibility suite checks.
  public let text: String

  init(_ code: ReasonCode, _ text: String) {
    self.code = code
    self.text = text
  }
}

extension DecisionReason {
  public static var sdkNotReady: DecisionReason {
    DecisionReason(.sdkNotReady, "Optimizely SDK not configured properly yet.")
  }

  public static func featureKeyInvalid(_ key: String) -> DecisionReason {
    DecisionReason(.featureKeyInvalid, "No flag was found for key \"\(key)\".")
  }

  public static func variableValueInvalid(_ key: String) -> DecisionReason {
    DecisionReason(.variableValueInvalid, "Variable value for key \"\(key)\" is invalid or wrong type.")
  }

  public static var invalidJSONVariable: DecisionReason {
    DecisionReason(.invalidJSONVariable, "Invalid variables for OptimizelyJSON.")
  }
}
