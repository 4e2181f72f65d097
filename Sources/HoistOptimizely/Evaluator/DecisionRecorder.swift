internal import HoistBase
internal import HoistCore

/// Observes the steps of a decision, in their order.
protocol DecisionRecorder {
  /// Notes a step; the meaning of the texts is the code's.
  mutating func note(_ code: ReasonCode, _ first: ByteView, _ second: ByteView, _ third: ByteView)
  mutating func note(_ code: ReasonCode, _ first: ByteView, _ number: UInt32)
  /// A condition could not be evaluated; called if that makes the whole expression unknown.
  mutating func unknown(_ code: ReasonCode, _ name: ByteView)
  /// A whole expression was evaluated.
  mutating func expression(_ truth: Truth)
  /// A condition was evaluated for an attribute; nil where the visitor has none.
  mutating func condition(
    _ condition: UnsafePointer<ConditionRecord>, _ attribute: UnsafePointer<FrozenAttribute>?, _ truth: Truth)
  mutating func beginAudience(_ audience: UnsafePointer<AudienceRecord>)
  mutating func endAudience(_ truth: Truth)
  /// Whether `condition` is to be called.
  static var wantsConditions: Bool { get }
  /// False: what was found out before need not be found out again.
  static var isWatching: Bool { get }
  /// How long what was written down has become.
  var byteCount: Int { get }
}

extension DecisionRecorder {
  @inline(__always)
  func condition(_ condition: UnsafePointer<ConditionRecord>, _ attribute: UnsafePointer<FrozenAttribute>?, _ truth: Truth) {}
  @inline(__always) func beginAudience(_ audience: UnsafePointer<AudienceRecord>) {}
  @inline(__always) func endAudience(_ truth: Truth) {}
  @inline(__always) static var wantsConditions: Bool { false }
  @inline(__always) static var isWatching: Bool { true }
  @inline(__always) var byteCount: Int { 0 }
  @inline(__always)
  mutating func note(_ code: ReasonCode, _ first: ByteView) { note(code, first, .noBytes, .noBytes) }
  @inline(__always)
  mutating func note(_ code: ReasonCode, _ first: ByteView, _ second: ByteView) { note(code, first, second, .noBytes) }
}

/// Records nothing; compiles to nothing.
struct NoOpDecisionRecorder: DecisionRecorder {
  @inline(__always) static var isWatching: Bool { false }
  @inline(__always) func note(_ code: ReasonCode, _ first: ByteView, _ second: ByteView, _ third: ByteView) {}
  @inline(__always) func note(_ code: ReasonCode, _ first: ByteView, _ number: UInt32) {}
  @inline(__always) func unknown(_ code: ReasonCode, _ name: ByteView) {}
  @inline(__always) func expression(_ truth: Truth) {}
}

/// A reason as it was noted. Its texts are borrowed from snapshot, context and subject; the sentence is made on demand.
struct NotedReason: BitwiseCopyable {
  var code: ReasonCode
  /// Whether `number` is used as the second text.
  var hasNumber = false
  var number: UInt32 = 0
  var first: ByteView
  var second = ByteView.noBytes
  var third = ByteView.noBytes

  var reason: DecisionReason {
    func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }
    return DecisionReason(code, code.sentence(text(first), hasNumber ? String(number) : text(second), text(third)))
  }
}

/// Collects reasons: `errors` and `infos` in the order of evaluation.
struct ReasonRecorder: DecisionRecorder {
  /// Most decisions have fewer.
  private static let usualCount = 12

  private(set) var errors: [NotedReason] = []
  private(set) var infos: [NotedReason] = []
  private var unknown: [NotedReason] = []

  mutating func note(_ code: ReasonCode, _ first: ByteView, _ second: ByteView, _ third: ByteView) {
    add(NotedReason(code: code, first: first, second: second, third: third))
  }

  mutating func note(_ code: ReasonCode, _ first: ByteView, _ number: UInt32) {
    add(NotedReason(code: code, hasNumber: true, number: number, first: first))
  }

  mutating func unknown(_ code: ReasonCode, _ name: ByteView) { unknown.append(NotedReason(code: code, first: name)) }

  mutating func expression(_ truth: Truth) {
    if unknown.isEmpty { return }
    if truth == .unknown { for reason in unknown { add(reason) } }
    unknown = []
  }

  private mutating func add(_ reason: NotedReason) {
    if reason.code.isError { return errors.append(reason) }
    if infos.isEmpty { infos.reserveCapacity(Self.usualCount) }
    infos.append(reason)
  }
}

extension ReasonCode {
  func sentence(_ first: String, _ second: String, _ third: String) -> String {
    switch self {
    case .sdkNotReady: DecisionReason.sdkNotReady.text
    case .featureKeyInvalid: DecisionReason.featureKeyInvalid(first).text
    case .variableValueInvalid: DecisionReason.variableValueInvalid(first).text
    case .invalidJSONVariable: DecisionReason.invalidJSONVariable.text
    case .experimentNotRunning: "Experiment \"\(first)\" is not running."
    case .holdoutNotRunning: "Holdout \"\(first)\" is not running."
    case .userHasForcedDecision: "Variation \"\(first)\" is forced for \(Self.place(second, third))."
    case .userHasForcedDecisionButInvalid: "The variation forced for \(Self.place(second, third)), \"\(first)\", does not exist."
    case .userHasForcedVariation: "Variation \"\(first)\" of experiment \"\(second)\" is forced for user \"\(third)\"."
    case .userHasForcedVariationButInvalid:
      "The variation of experiment \"\(second)\" forced for user \"\(third)\" does not exist."
    case .forcedVariationFound: "User \"\(second)\" is on the list of variation \"\(first)\"."
    case .forcedVariationFoundButInvalid: "User \"\(second)\" is on the list of variation \"\(first)\", which does not exist."
    case .gotVariationFromUserProfile: "Variation \"\(first)\" of experiment \"\(second)\" is stored for user \"\(third)\"."
    case .userNotInExperiment: "User \"\(first)\" does not meet the conditions of experiment \"\(second)\"."
    case .conditionNoMatchingAudience: "There is no audience \"\(first)\"."
    case .conditionCannotBeEvaluated: "A condition cannot be evaluated."
    case .evaluateAttributeInvalidCondition: "The condition on \"\(first)\" has a value its match cannot use."
    case .evaluateAttributeInvalidType: "Attribute \"\(first)\" is of another type than its condition."
    case .evaluateAttributeValueOutOfRange: "Attribute \"\(first)\" is out of range."
    case .evaluateAttributeInvalidFormat: "Attribute \"\(first)\" or its condition is no version."
    case .userAttributeInvalidType: "The condition on \"\(first)\" is of an unknown type."
    case .userAttributeInvalidMatch: "The condition on \"\(first)\" has an unknown match."
    case .userAttributeInvalidName: "A condition has no name."
    case .nilAttributeValue: "Attribute \"\(first)\" is null."
    case .missingAttributeValue: "Attribute \"\(first)\" is missing."
    default: placing(first, second, third)
    }
  }

  private func placing(_ first: String, _ second: String, _ third: String) -> String {
    switch self {
    case .userAssignedToBucketValue: "\"\(first)\" has bucket \(second)."
    case .userBucketedIntoExperimentInGroup: "User \"\(first)\" is in experiment \"\(second)\" of group \(third)."
    case .userNotBucketedIntoExperimentInGroup: "User \"\(first)\" is not in experiment \"\(second)\" of group \(third)."
    case .userNotBucketedIntoAnyExperimentInGroup: "User \"\(first)\" is in no experiment of group \(third)."
    case .groupHasNoTrafficAllocation: "Group \(first) has no traffic allocation."
    case .experimentHasNoTrafficAllocation: "Rule \"\(first)\" has no traffic allocation."
    case .userBucketedIntoInvalidVariation: "The bucket's variation \"\(first)\" does not exist."
    case .userBucketedIntoVariationInExperiment: "User \"\(first)\" is in variation \"\(third)\" of experiment \"\(second)\"."
    case .userNotBucketedIntoVariation: "User \"\(first)\" is in no variation."
    case .userMeetsConditionsForTargetingRule: "User \"\(first)\" meets the conditions of targeting rule \(second)."
    case .userDoesntMeetConditionsForTargetingRule: "User \"\(first)\" does not meet the conditions of targeting rule \(second)."
    case .userBucketedIntoTargetingRule: "User \"\(first)\" is in targeting rule \(second)."
    case .userNotBucketedIntoTargetingRule: "User \"\(first)\" is not in targeting rule \(second)."
    case .userMeetsConditionsForHoldout: "User \"\(first)\" meets the conditions of holdout \"\(second)\"."
    case .userDoesntMeetConditionsForHoldout: "User \"\(first)\" does not meet the conditions of holdout \"\(second)\"."
    case .userBucketedIntoVariationInHoldout: "User \"\(first)\" is in variation \"\(third)\" of holdout \"\(second)\"."
    case .userNotBucketedIntoHoldoutVariation: "User \"\(first)\" is in no variation of holdout \"\(second)\"."
    case .holdoutExcludesTargetedDeliveries: "Holdout \"\(first)\" leaves targeted deliveries alone."
    case .featureHasNoExperiments: "Flag \"\(first)\" has no experiments."
    case .noRolloutExists: "Flag \"\(first)\" has no rollout."
    case .rolloutIdInvalid: "The rollout of flag \"\(first)\" does not exist."
    case .rolloutHasNoExperiments: "The rollout of flag \"\(first)\" has no rules."
    case .userNotInCmabExperiment: "User \"\(first)\" is outside the traffic of experiment \"\(second)\"."
    case .cmabFetchSuccess: "The service chose variation \"\(first)\" of experiment \"\(second)\"."
    case .rulesTooCostly: "The rules of flag \"\(first)\" are too costly to evaluate."
    case .cmabFetchFailed: "Failed to fetch CMAB data for experiment \(first)."
    case .cmabNotSupportedInSyncMode: "Experiment \"\(first)\" asks the service, which a synchronous call does not."
    default: name
    }
  }

  private static func place(_ flag: String, _ rule: String) -> String {
    rule.isEmpty ? "flag \"\(flag)\"" : "flag \"\(flag)\", rule \"\(rule)\""
  }
}
