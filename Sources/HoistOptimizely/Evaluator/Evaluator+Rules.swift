internal import HoistBase
internal import HoistCore

/// Experiments, holdouts, forced decisions and buckets.
extension Evaluator {
  @inline(__always)
  var hasForcedDecisions: Bool {
    guard let subject, !options.contains(.withoutForcedDecisions) else { return false }
    return subject.pointee.forcedDecisions.count > 0
  }

  /// The variation that the visitor's owner forces (4.7); it need not be one of the rule's.
  @inline(never)
  mutating func forcedVariation(
    _ flag: UnsafePointer<OptimizelyFlagRecord>, rule: UnsafePointer<RuleRecord>?
  ) -> Place<VariationRecord>? {
    let flagKey = flag.pointee.head.name.bytes(base)
    let ruleKey = rule?.pointee.key.bytes(base)
    guard let forced = subject?.pointee.forcedDecisions.find(flagKey, hash: flag.pointee.keyHash, and: ruleKey) else {
      return nil
    }
    let wanted = forced.pointee.value
    guard budget.spend(Int(flag.pointee.variationCount)) else { return nil }
    let variations = base.at(flag.pointee.variations)
    for index in 0..<Int(flag.pointee.variationCount) where !variations[index].isShadowed {
      let variation = base.at(variations[index].variation)
      if variation.pointee.key.bytes(base).hasSameBytes(as: wanted) {
        recorder.note(.userHasForcedDecision, wanted, flagKey, ruleKey ?? .noBytes)
        return variations[index].variation
      }
    }
    recorder.note(.userHasForcedDecisionButInvalid, wanted, flagKey, ruleKey ?? .noBytes)
    return nil
  }

  /// The first holdout of a list that catches the visitor (4.8a).
  @inline(never)
  mutating func firstHoldout(_ holdouts: Place<Place<RuleRecord>>, _ count: UInt32) -> Verdict {
    let places = base.at(holdouts)
    for index in 0..<Int(count) {
      guard budget.spend(StepBudget.condition) else { return Verdict() }
      let variation = variation(ofHoldout: base.at(places[index]))
      if !variation.isNone {
        return Verdict(rule: places[index], variation: variation, source: .holdout, reason: .split)
      }
    }
    return Verdict()
  }

  private mutating func variation(ofHoldout rule: UnsafePointer<RuleRecord>) -> Place<VariationRecord> {
    let key = rule.pointee.key.bytes(base)
    guard rule.pointee.isRunning else {
      recorder.note(.holdoutNotRunning, key)
      return .none
    }
    guard isAdmitted(rule) else {
      recorder.note(.userDoesntMeetConditionsForHoldout, user, key)
      return .none
    }
    recorder.note(.userMeetsConditionsForHoldout, user, key)
    let variation = bucket(rule)
    if variation.isNone {
      recorder.note(.userNotBucketedIntoHoldoutVariation, user, key)
    } else {
      recorder.note(.userBucketedIntoVariationInHoldout, user, key, keyOfVariation(variation))
    }
    return variation
  }

  /// An experiment's verdict by the order of 4.5.
  @inline(__always)
  mutating func variation(of rule: UnsafePointer<RuleRecord>, _ place: Place<RuleRecord>) -> Verdict {
    let key = rule.pointee.key.bytes(base)
    guard rule.pointee.isRunning else {
      recorder.note(.experimentNotRunning, key)
      return Verdict()
    }
    if let variation = settledVariation(rule) {
      return Verdict(rule: place, variation: variation, source: .featureTest, reason: .targetingMatch)
    }
    guard isAdmitted(rule) else {
      recorder.note(.userNotInExperiment, user, key)
      return Verdict()
    }
    if rule.pointee.predictionRange >= 0 { return predictedVariation(rule, place) }
    if !rule.pointee.group.isNone, !isChosenInGroup(rule) { return Verdict() }
    let variation = bucket(rule)
    if variation.isNone {
      recorder.note(.userNotBucketedIntoVariation, user)
      return Verdict()
    }
    recorder.note(.userBucketedIntoVariationInExperiment, user, key, keyOfVariation(variation))
    return Verdict(rule: place, variation: variation, source: .featureTest, isNew: true, reason: .split)
  }

  /// Forced variation, whitelist, stored profile; none of them checks the audience.
  @inline(__always)
  private mutating func settledVariation(_ rule: UnsafePointer<RuleRecord>) -> Place<VariationRecord>? {
    if let subject, subject.pointee.forcedVariations.count > 0, let variation = mappedVariation(rule) { return variation }
    if rule.pointee.whitelistCount > 0, let variation = whitelistedVariation(rule) { return variation }
    if let subject, subject.pointee.assignments.count > 0, !options.contains(.ignoreUserProfileService) {
      return storedVariation(rule)
    }
    return nil
  }

  @inline(never)
  private mutating func mappedVariation(_ rule: UnsafePointer<RuleRecord>) -> Place<VariationRecord>? {
    guard let entry = subject?.pointee.forcedVariations.find(rule.pointee.id.bytes(base), hash: rule.pointee.idHash) else {
      return nil
    }
    let key = rule.pointee.key.bytes(base)
    guard let variation = variation(of: rule, withID: entry.pointee.value) else {
      recorder.note(.userHasForcedVariationButInvalid, entry.pointee.value, key, user)
      return nil
    }
    recorder.note(.userHasForcedVariation, keyOfVariation(variation), key, user)
    return variation
  }

  @inline(never)
  private mutating func whitelistedVariation(_ rule: UnsafePointer<RuleRecord>) -> Place<VariationRecord>? {
    guard budget.spend(Int(rule.pointee.whitelistCount) &>> 2) else { return nil }
    let entries = base.at(rule.pointee.whitelist)
    let hash = context?.head.pointee.keyHash ?? 0
    for index in 0..<Int(rule.pointee.whitelistCount) where entries[index].userHash == hash {
      guard entries[index].user.bytes(base).hasSameBytes(as: user) else { continue }
      let key = entries[index].variationKey.bytes(base)
      guard !entries[index].variation.isNone else {
        recorder.note(.forcedVariationFoundButInvalid, key, user)
        return nil
      }
      recorder.note(.forcedVariationFound, key, user)
      return entries[index].variation
    }
    return nil
  }

  @inline(never)
  private mutating func storedVariation(_ rule: UnsafePointer<RuleRecord>) -> Place<VariationRecord>? {
    guard let entry = subject?.pointee.assignments.find(rule.pointee.id.bytes(base), hash: rule.pointee.idHash),
      let variation = variation(of: rule, withID: entry.pointee.value)
    else { return nil }
    recorder.note(.gotVariationFromUserProfile, keyOfVariation(variation), rule.pointee.key.bytes(base), user)
    return variation
  }

  /// A contextual bandit's choice (4.15): within its traffic the server decides.
  @inline(never)
  private mutating func predictedVariation(_ rule: UnsafePointer<RuleRecord>, _ place: Place<RuleRecord>) -> Verdict {
    let key = rule.pointee.key.bytes(base)
    guard options.contains(.predictions) else {
      recorder.note(.cmabNotSupportedInSyncMode, key)
      return Verdict()
    }
    if !rule.pointee.group.isNone, !isChosenInGroup(rule) { return Verdict() }
    let id = rule.pointee.id.bytes(base)
    guard bucketValue(id) < UInt32(rule.pointee.predictionRange) else {
      recorder.note(.userNotInCmabExperiment, user, key)
      return Verdict()
    }
    var verdict = Verdict(rule: place, source: .featureTest, reason: .split)
    guard let answer = subject?.pointee.predictions.find(id, hash: rule.pointee.idHash) else {
      verdict.failure = .needsPrediction
      return verdict
    }
    guard answer.pointee.hasValue else {
      recorder.note(.cmabFetchFailed, key)
      verdict.failure = .predictionFailed
      verdict.reason = .error
      return verdict
    }
    guard let variation = variation(of: rule, withID: answer.pointee.value) else {
      recorder.note(.userBucketedIntoInvalidVariation, answer.pointee.value)
      return Verdict()
    }
    recorder.note(.cmabFetchSuccess, keyOfVariation(variation), key)
    verdict.variation = variation
    return verdict
  }

  /// Whether the draw among mutually exclusive experiments fell on this one.
  @inline(never)
  private mutating func isChosenInGroup(_ rule: UnsafePointer<RuleRecord>) -> Bool {
    let group = base.at(rule.pointee.group)
    let id = group.pointee.id.bytes(base)
    guard group.pointee.rowCount > 0 else {
      recorder.note(.groupHasNoTrafficAllocation, id)
      return false
    }
    let value = bucketValue(id)
    recorder.note(.userAssignedToBucketValue, bucketingID, value)
    let key = rule.pointee.key.bytes(base)
    guard let row = pick(value, group.pointee.rows, group.pointee.rowCount), row.pointee.entity.count > 0 else {
      recorder.note(.userNotBucketedIntoAnyExperimentInGroup, user, .noBytes, id)
      return false
    }
    guard row.pointee.entity.bytes(base).hasSameBytes(as: rule.pointee.id.bytes(base)) else {
      recorder.note(.userNotBucketedIntoExperimentInGroup, user, key, id)
      return false
    }
    recorder.note(.userBucketedIntoExperimentInGroup, user, key, id)
    return true
  }

  /// The variation of the visitor's bucket.
  @inline(__always)
  mutating func bucket(_ rule: UnsafePointer<RuleRecord>) -> Place<VariationRecord> {
    if rule.pointee.rowCount == 0 {
      recorder.note(.experimentHasNoTrafficAllocation, rule.pointee.key.bytes(base))
      return .none
    }
    let value = bucketValue(rule.pointee.id.bytes(base))
    recorder.note(.userAssignedToBucketValue, bucketingID, value)
    guard let row = pick(value, rule.pointee.rows, rule.pointee.rowCount) else { return .none }
    if row.pointee.variation.isNone, row.pointee.entity.count > 0 {
      recorder.note(.userBucketedIntoInvalidVariation, row.pointee.entity.bytes(base))
    }
    return row.pointee.variation
  }

  @inline(__always)
  func bucketValue(_ parent: ByteView) -> UInt32 { BucketValue.of(bucketing.finish(appending: parent)) }

  @inline(__always)
  private mutating func pick(_ value: UInt32, _ rows: Place<AllocationRow>, _ count: UInt32) -> UnsafePointer<AllocationRow>? {
    guard budget.spend(Int(count) &>> 2) else { return nil }
    let rows = base.at(rows)
    var index = 0
    while index < Int(count) {
      if value < rows[index].end { return rows + index }
      index &+= 1
    }
    return nil
  }

  mutating func variation(of rule: UnsafePointer<RuleRecord>, withID id: ByteView) -> Place<VariationRecord>? {
    guard budget.spend(Int(rule.pointee.variationCount)) else { return nil }
    let variations = base.at(rule.pointee.variations)
    for index in 0..<Int(rule.pointee.variationCount) where variations[index].id.bytes(base).hasSameBytes(as: id) {
      return rule.pointee.variations.at(index)
    }
    return nil
  }

  private func keyOfVariation(_ place: Place<VariationRecord>) -> ByteView {
    base.at(place).pointee.key.bytes(base)
  }
}

/// The bucket of 10,000 that a hash selects (protocols/optimizely.md 4.1).
public enum BucketValue {
  /// - Parameter hash: Murmur3 with seed 1 of the bucketing id and the id of the experiment, holdout or group.
  /// - Returns: 0 to 9999.
  @inline(__always)
  public static func of(_ hash: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: (UInt64(hash) &* 10_000) &>> 32) }
}
