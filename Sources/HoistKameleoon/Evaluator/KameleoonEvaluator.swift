internal import HoistBase
internal import HoistCore

/// Decides flags of a snapshot for one visitor: a pure reader (protocols/kameleoon.md 3).
///
/// Generic over what watches: `NoSteps` leaves nothing behind in the machine code, `ExplanationRecorder`
/// writes the steps down. Both run these very functions.
struct KameleoonEvaluator<Recorder: StepRecorder<ExplanationRecorder>> {
  let base: UnsafeRawPointer
  let facts: VisitorFacts
  /// Milliseconds of Unix time.
  let now: Int64
  let hasRefused: Bool
  /// Whether decisions are stored (3.9).
  let saves: Bool
  /// The row of the holdout that this decision found, and keeps before it asks the rules.
  var heldRow: Place<RowRecord> = .none
  var budget = StepBudget()
  /// Of the segments.
  var segments = RememberedTruths()
  /// How often a segment was not looked at because too many ask for each other.
  var cuts = 0
  var recorder: Recorder

  @inline(__always)
  init(_ snapshot: Snapshot, _ facts: VisitorFacts, now: Int64, saves: Bool = true, recorder: Recorder) {
    base = snapshot.base
    self.facts = facts
    self.now = now
    self.saves = saves
    self.recorder = recorder
    hasRefused = snapshot.kameleoonRoot.pointee.requiresConsent && facts.content.consent == .refused
  }

  @inline(__always)
  var root: UnsafePointer<KameleoonRoot> { Snapshot(base).kameleoonRoot }

  /// The order of 3.3. One copy for all callers.
  @inline(never)
  mutating func decide(_ flag: UnsafePointer<KameleoonFlagRecord>) -> Choice {
    let choice = choose(flag)
    return budget.isExceeded ? Choice(refusal: .tooCostly) : choice
  }

  @inline(__always)
  private mutating func choose(_ flag: UnsafePointer<KameleoonFlagRecord>) -> Choice {
    if !facts.content.simulated.isEmpty, let choice = simulated(flag) { return choice }
    if !flag.pointee.isEnabled { return Choice(refusal: .environmentDisabled) }
    var choice = Choice(row: flag.pointee.defaultRow)
    return withCode(of: flag) { evaluator, code in
      if !evaluator.root.pointee.holdout.isNone {
        if evaluator.hasRefused, evaluator.root.pointee.blocksFully { return Choice(refusal: .blocked) }
        if evaluator.isHeldOut(code, &choice) { return choice }
      }
      if !flag.pointee.group.isNone, !evaluator.isChosen(flag, code) { return choice }
      evaluator.decideByRules(flag, code, &choice)
      return choice
    }
  }

  /// What is hashed (3.1).
  @inline(__always)
  private mutating func withCode<Result>(
    of flag: UnsafePointer<KameleoonFlagRecord>, _ body: (inout Self, ByteView) -> Result
  ) -> Result {
    if flag.pointee.bucketingIndex >= 0, let place = place(ofCustomData: flag.pointee.bucketingIndex),
      let first = facts.content.customData[place].values.first
    {
      return first.withUnsafeBytes { body(&self, $0) }
    }
    if let mapping = facts.content.mappingIdentifier, !mapping.isEmpty { return mapping.withUnsafeBytes { body(&self, $0) } }
    return facts.content.code.withUnsafeBytes { body(&self, $0) }
  }

  @inline(__always)
  func place(ofCustomData index: Int64) -> Int? {
    var place = 0
    while place < facts.content.customData.count {
      if facts.content.customData[place].index == index { return place }
      place &+= 1
    }
    return nil
  }

  /// Whether the visitor is out of everything (3.4).
  @inline(never)
  private mutating func isHeldOut(_ code: ByteView, _ choice: inout Choice) -> Bool {
    let rule = base.at(root.pointee.holdout)
    let row = pick(rule, BucketHash.value(code, rule.pointee.experimentSuffix.bytes(base)))
    recorder.note { $0.holdout(rule, row) }
    guard let row else { return false }
    choice.holdoutRow = row.pointee.place
    if saves, row.pointee.variationID != -1 { heldRow = row.pointee.place }
    return row.pointee.key.bytes(base).reads("in-holdout")
  }

  /// Whether the flag is the one of its group that the visitor may get (3.5).
  @inline(never)
  private mutating func isChosen(_ flag: UnsafePointer<KameleoonFlagRecord>, _ code: ByteView) -> Bool {
    let group = base.at(flag.pointee.group)
    let members = base.at(group.pointee.members)
    let count = Int(group.pointee.memberCount)
    let hash = BucketHash.value(code, group.pointee.name.bytes(base))
    let isChosen = Self.place(hash, of: count).map { base.at(members[$0]) == flag } ?? false
    recorder.note { $0.hash("groupHash", hash) }
    recorder.note { $0.group(group, isChosen: isChosen) }
    return isChosen
  }

  /// The index that a hash selects among a number of choices; nil for none.
  @inline(__always)
  static func place(_ hash: Double, of count: Int) -> Int? {
    count > 0 ? min(Int(hash * Double(count)), count &- 1) : nil
  }

  /// By the cookie of web SDKs, which does not ask whether the flag is enabled (3.7). What it names that is not there
  /// counts for nothing.
  @inline(never)
  private mutating func simulated(_ flag: UnsafePointer<KameleoonFlagRecord>) -> Choice? {
    let key = flag.pointee.head.name.bytes(base)
    guard let named = facts.content.simulated.last(where: { $0.featureKey.withBytes { $0.hasSameBytes(as: key) } }) else {
      return nil
    }
    var choice = Choice(isSimulated: true, reason: .static, row: flag.pointee.defaultRow)
    if named.experimentID == 0 { return choice }
    let rules = base.at(flag.pointee.rules)
    guard budget.spend(Int(flag.pointee.ruleCount)) else { return nil }
    for index in 0..<Int(flag.pointee.ruleCount) where rules[index].experimentID == named.experimentID {
      guard budget.spend(Int(rules[index].rowCount)) else { return nil }
      let rows = base.at(rules[index].rows)
      for place in 0..<Int(rules[index].rowCount) where rows[place].variationID == named.variationID {
        choice.row = rows[place].place
        return choice
      }
    }
    return nil
  }
}

/// The result of a decision.
struct Choice: BitwiseCopyable {
  enum Refusal: UInt8, BitwiseCopyable {
    case none
    /// The flag is off in this environment.
    case environmentDisabled
    /// The visitor has refused, and the account wants no answer then (protocols/kameleoon.md 3.8).
    case blocked
    /// The rules cost more than an evaluation may.
    case tooCostly
  }

  var refusal = Refusal.none
  /// The cookie of web SDKs decided: nothing is saved or sent (3.7).
  var isSimulated = false
  var reason = Reason.default
  /// That of "everyone else" where no rule decided. None with a refusal.
  var row: Place<RowRecord> = .none
  /// That of the holdout.
  var holdoutRow: Place<RowRecord> = .none
}
