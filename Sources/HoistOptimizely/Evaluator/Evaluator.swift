internal import HoistBase
internal import HoistCore

/// Decides flags of a snapshot for one visitor: a pure reader of raw memory (protocols/optimizely.md 4).
///
/// Generic over what watches: `NoOpDecisionRecorder` leaves nothing behind in the machine code, `ReasonRecorder` collects the
/// reasons. Both run these very functions.
struct Evaluator<Recorder: DecisionRecorder> {
  let base: UnsafeRawPointer
  let context: FrozenContext?
  let subject: UnsafePointer<SubjectState>?
  let options: DecideOptions
  let user: ByteView
  /// What is bucketed: `$opt_bucketing_id`, or the user id.
  let bucketingID: ByteView
  /// After the bucketing id.
  let bucketing: Murmur3State
  var budget = StepBudget()
  /// Of the audiences.
  var audiences = RememberedTruths()
  var recorder: Recorder

  @inline(__always)
  init(
    base: UnsafeRawPointer, context: UnsafeRawPointer?, subject: UnsafeRawPointer?, options: DecideOptions,
    recorder: Recorder
  ) {
    self.base = base
    self.context = context.map { FrozenContext($0) }
    self.subject = subject?.assumingMemoryBound(to: SubjectState.self)
    self.options = options
    self.recorder = recorder
    user = self.context?.targetingKey ?? .noBytes
    let root: UnsafePointer<SnapshotRoot> = Snapshot(base).root()
    if let attribute = self.context?.find(root.pointee.bucketingName.bytes(base), hash: root.pointee.bucketingNameHash),
      attribute.pointee.kind == .string
    {
      bucketingID = attribute.pointee.textBytes
    } else {
      bucketingID = user
    }
    bucketing = Murmur3State(bucketingID, seed: 1)
  }

  @inline(__always)
  var root: UnsafePointer<SnapshotRoot> { Snapshot(base).root() }
}

/// Who decided; what impressions call the rule's type.
public enum DecisionSource: UInt8, BitwiseCopyable, Sendable {
  case rollout, featureTest, holdout

  public var text: StaticString {
    switch self {
    case .rollout: "rollout"
    case .featureTest: "feature-test"
    case .holdout: "holdout"
    }
  }
}

/// What is missing for a decision.
enum DecisionFailure: UInt8, BitwiseCopyable {
  case none
  /// The rule needs an answer of the prediction server that the subject does not have yet.
  case needsPrediction
  /// The prediction server failed.
  case predictionFailed
  /// The rules cost more than an evaluation may.
  case tooCostly
}

/// A rule's verdict on a visitor, or the flag's.
struct Verdict: BitwiseCopyable {
  var rule: Place<RuleRecord> = .none
  var variation: Place<VariationRecord> = .none
  var source = DecisionSource.rollout
  var failure = DecisionFailure.none
  /// The assignment is new, to be remembered in the visitor's profile.
  var isNew = false
  /// The variation of a holdout that caught the visitor and let targeted deliveries go on.
  var holdoutVariation: Place<VariationRecord> = .none
  /// How the core calls it.
  var reason = Reason.default
}

extension Evaluator {
  @inline(__always)
  mutating func decide(_ flag: UnsafePointer<OptimizelyFlagRecord>) -> Verdict {
    _ = budget.spend(StepBudget.condition &+ Int(flag.pointee.variationCount) &>> 3)
    let verdict = decideInOrder(flag)
    return budget.isExceeded ? Verdict(failure: .tooCostly) : verdict
  }

  /// The order of 4.8.
  @inline(__always)
  private mutating func decideInOrder(_ flag: UnsafePointer<OptimizelyFlagRecord>) -> Verdict {
    if hasForcedDecisions, let variation = forcedVariation(flag, rule: nil) {
      return Verdict(variation: variation, source: .featureTest, reason: .targetingMatch)
    }
    let root = root
    var excluding: Place<VariationRecord> = .none
    if root.pointee.holdoutCount > 0 {
      let caught = firstHoldout(root.pointee.holdouts, root.pointee.holdoutCount)
      if !caught.variation.isNone {
        let rule = base.at(caught.rule)
        guard rule.pointee.excludesTargetedDeliveries else { return caught }
        recorder.note(.holdoutExcludesTargetedDeliveries, rule.pointee.key.bytes(base))
        excluding = caught.variation
      }
    }
    if flag.pointee.experimentCount == 0 { recorder.note(.featureHasNoExperiments, flag.pointee.head.name.bytes(base)) }
    let experiments = base.at(flag.pointee.experiments)
    var index = 0
    while index < Int(flag.pointee.experimentCount), budget.spend(StepBudget.condition) {
      var verdict = decide(flag, experiment: experiments[index], targetedOnly: !excluding.isNone)
      if !verdict.variation.isNone || verdict.failure != .none {
        if verdict.source != .holdout { verdict.holdoutVariation = excluding }
        return verdict
      }
      index &+= 1
    }
    var verdict = decideDeliveries(flag)
    if verdict.source != .holdout { verdict.holdoutVariation = excluding }
    return verdict
  }

  @inline(__always)
  private mutating func decide(
    _ flag: UnsafePointer<OptimizelyFlagRecord>, experiment place: Place<RuleRecord>, targetedOnly: Bool
  ) -> Verdict {
    let rule = base.at(place)
    if targetedOnly, !rule.pointee.isTargetedDelivery { return Verdict() }
    if hasForcedDecisions, let variation = forcedVariation(flag, rule: rule) {
      return Verdict(rule: place, variation: variation, source: .featureTest, reason: .targetingMatch)
    }
    if rule.pointee.holdoutCount > 0 {
      let caught = firstHoldout(rule.pointee.holdouts, rule.pointee.holdoutCount)
      if !caught.variation.isNone { return caught }
    }
    return variation(of: rule, place)
  }

  /// Delivery rules: a visitor who meets a rule's audience and is not in its traffic goes on with the last.
  @inline(__always)
  private mutating func decideDeliveries(_ flag: UnsafePointer<OptimizelyFlagRecord>) -> Verdict {
    let count = Int(flag.pointee.deliveryCount)
    if count == 0 {
      noteMissingRollout(flag)
      return Verdict()
    }
    let rules = base.at(flag.pointee.deliveries)
    var index = 0
    while index < count, budget.spend(StepBudget.condition) {
      let rule = base.at(rules[index])
      if hasForcedDecisions, let variation = forcedVariation(flag, rule: rule) {
        return Verdict(rule: rules[index], variation: variation, source: .rollout, reason: .targetingMatch)
      }
      if rule.pointee.holdoutCount > 0 {
        let caught = firstHoldout(rule.pointee.holdouts, rule.pointee.holdoutCount)
        if !caught.variation.isNone { return caught }
      }
      let isLast = index == count &- 1
      if isAdmitted(rule) {
        noteDelivery(.userMeetsConditionsForTargetingRule, index, isLast)
        let row = bucket(rule)
        if !row.isNone {
          noteDelivery(.userBucketedIntoTargetingRule, index, isLast)
          return Verdict(
            rule: rules[index], variation: row, source: .rollout,
            reason: rule.pointee.audience.isNone ? .split : .targetingMatch)
        }
        noteDelivery(.userNotBucketedIntoTargetingRule, index, isLast)
        if !isLast {
          index = count &- 1
          continue
        }
      } else {
        noteDelivery(.userDoesntMeetConditionsForTargetingRule, index, isLast)
      }
      index &+= 1
    }
    return Verdict()
  }

  private mutating func noteMissingRollout(_ flag: UnsafePointer<OptimizelyFlagRecord>) {
    let key = flag.pointee.head.name.bytes(base)
    switch flag.pointee.rollout {
    case .none: recorder.note(.noRolloutExists, key)
    case .unknown: recorder.note(.rolloutIdInvalid, key)
    case .empty, .rules: recorder.note(.rolloutHasNoExperiments, key)
    }
  }

  @inline(__always)
  private mutating func noteDelivery(_ code: ReasonCode, _ index: Int, _ isLast: Bool) {
    if isLast {
      recorder.note(code, user, everyoneElse)
    } else {
      recorder.note(code, user, UInt32(truncatingIfNeeded: index &+ 1))
    }
  }
}

/// What reasons call the last delivery rule.
private var everyoneElse: ByteView {
  let text: StaticString = "Everyone Else"
  return ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount)
}
