public import HoistBase
internal import HoistCore

/// Rules, in the order of the configuration (protocols/kameleoon.md 3.6).
extension KameleoonEvaluator {
  @inline(__always)
  mutating func decideByRules(_ flag: UnsafePointer<KameleoonFlagRecord>, _ code: ByteView, _ choice: inout Choice) {
    let rules = base.at(flag.pointee.rules)
    var index = 0
    while index < Int(flag.pointee.ruleCount) {
      if decide(rules + index, code, &choice) { return }
      index &+= 1
    }
  }

  /// - Returns: whether the search ends here.
  @inline(__always)
  private mutating func decide(_ rule: UnsafePointer<RuleRecord>, _ code: ByteView, _ choice: inout Choice) -> Bool {
    guard budget.spend(hashSteps(code)) else { return true }
    recorder.note { $0.begin(rule: rule) }
    let forced = facts.content.forced.isEmpty ? nil : forcedRow(rule)
    if let forced, forced.ignoresSegment { return end(.forced, forced.row, .static, &choice) }
    if !rule.pointee.segment.isNone, !matches(rule.pointee.segment, current: rule) { return goOn(.notTargeted) }
    if let forced { return end(.forced, forced.row, .static, &choice) }
    let exposure = BucketHash.value(code, rule.pointee.ruleSuffix.bytes(base))
    recorder.note { $0.hash("hash", exposure) }
    guard exposure <= rule.pointee.exposition else {
      recorder.note { $0.endRule(.notExposed, nil) }
      return rule.pointee.type == .targetedDelivery
    }
    if hasRefused, rule.pointee.type == .experimentation {
      recorder.note { $0.endRule(.blocked, nil) }
      if root.pointee.blocksFully { choice = Choice(refusal: .blocked, holdoutRow: choice.holdoutRow) }
      return true
    }
    return assign(rule, code, &choice)
  }

  /// What a rule costs: two hashes of the code, mostly.
  @inline(__always)
  private func hashSteps(_ code: ByteView) -> Int { 60 &+ code.count / 4 }

  @inline(__always)
  private mutating func assign(_ rule: UnsafePointer<RuleRecord>, _ code: ByteView, _ choice: inout Choice) -> Bool {
    if !facts.content.banditScores.isEmpty, let row = scoredRow(rule, code) { return end(.scored, row, .targetingMatch, &choice) }
    if rule.pointee.type == .targetedDelivery {
      guard rule.pointee.rowCount > 0 else {
        recorder.note { $0.endRule(.notAssigned, nil) }
        return true
      }
      return end(.delivered, base.at(rule.pointee.rows), rule.pointee.segment.isNone ? .static : .targetingMatch, &choice)
    }
    let hash = BucketHash.value(code, rule.pointee.experimentSuffix.bytes(base))
    recorder.note { $0.hash("variationHash", hash) }
    guard let row = pick(rule, hash) else { return goOn(.notAssigned) }
    return end(.assigned, row, rule.pointee.segment.isNone ? .split : .targetingMatch, &choice)
  }

  @inline(__always)
  private mutating func end(
    _ outcome: RuleOutcome, _ row: UnsafePointer<RowRecord>, _ reason: Reason, _ choice: inout Choice
  ) -> Bool {
    recorder.note { $0.endRule(outcome, row) }
    choice.row = row.pointee.place
    choice.reason = reason
    return true
  }

  @inline(__always)
  private mutating func goOn(_ outcome: RuleOutcome) -> Bool {
    recorder.note { $0.endRule(outcome, nil) }
    return false
  }

  /// The first variation with which the shares reach the hash; nil when they never do.
  @inline(__always)
  mutating func pick(_ rule: UnsafePointer<RuleRecord>, _ hash: Double) -> UnsafePointer<RowRecord>? {
    let rows = base.at(rule.pointee.rows)
    guard budget.spend(Int(rule.pointee.rowCount) &>> 2) else { return nil }
    var total = 0.0
    var index = 0
    while index < Int(rule.pointee.rowCount) {
      total += rows[index].exposition
      if total >= hash { return rows + index }
      index &+= 1
    }
    return nil
  }

  /// What the host has set for the rule's experiment; a key that the rule does not have counts for nothing.
  @inline(never)
  private func forcedRow(_ rule: UnsafePointer<RuleRecord>) -> (row: UnsafePointer<RowRecord>, ignoresSegment: Bool)? {
    for forced in facts.content.forced where forced.experimentID == rule.pointee.experimentID {
      let rows = base.at(rule.pointee.rows)
      for index in 0..<Int(rule.pointee.rowCount) {
        let key = rows[index].key.bytes(base)
        if forced.variationKey.withBytes({ $0.hasSameBytes(as: key) }) { return (rows + index, forced.forcesTargeting) }
      }
    }
    return nil
  }

  /// The contextual bandit: of the rule's variations those with the highest score, and one of several by the hash.
  @inline(never)
  private mutating func scoredRow(_ rule: UnsafePointer<RuleRecord>, _ code: ByteView) -> UnsafePointer<RowRecord>? {
    let rows = base.at(rule.pointee.rows)
    let (steps, overflows) = Int(rule.pointee.rowCount).multipliedReportingOverflow(by: facts.content.banditScores.count &+ 1)
    guard budget.spend(overflows ? .max : steps) else { return nil }
    func score(_ index: Int) -> Double? {
      let row = rows[index]
      return facts.content.banditScores.first { $0.experimentID == row.experimentID && $0.variationID == row.variationID }?.score
    }
    let scores = (0..<Int(rule.pointee.rowCount)).compactMap { score($0) }
    guard let best = scores.max() else { return nil }
    let chosen = (0..<Int(rule.pointee.rowCount)).filter { score($0) == best }
    if chosen.count == 1 { return rows + chosen[0] }
    let hash = BucketHash.value(code, rule.pointee.experimentSuffix.bytes(base))
    recorder.note { $0.hash("variationHash", hash) }
    return Self.place(hash, of: chosen.count).map { rows + chosen[$0] }
  }
}

/// The hash that decides who gets what (protocols/kameleoon.md 3.2): SHA-256 of the code and what follows it, as a part
/// of 2^256, rounded to the nearest double.
public enum BucketHash {
  /// - Parameter suffix: decimal id and respool time, or a group's name; follows the code without anything between.
  @inline(__always)
  public static func value(_ code: ByteView, _ suffix: ByteView) -> Double {
    let words = SHA256.words(of: code, suffix)
    let shift = UInt64(truncatingIfNeeded: words[0].leadingZeroBitCount)
    if shift == 64 { return rare(words) }
    var kept = words[0] &<< shift
    if shift > 0 { kept |= words[1] &>> (64 &- shift) }
    // One bit far below those of a double stands for all lost ones, so that rounding is correct.
    if words[1] &<< shift | words[2] | words[3] != 0 { kept |= 1 }
    return Double(kept) * Double(bitPattern: (1023 &- 64 &- shift) &<< 52)
  }

  /// 64 zero bits at the start: one hash of 2^64.
  @inline(never)
  private static func rare(_ words: InlineArray<4, UInt64>) -> Double {
    var value = 0.0
    for index in 0..<4 { value += Double(words[index]) * Double(sign: .plus, exponent: -64 * (index + 1), significand: 1) }
    return value
  }
}
