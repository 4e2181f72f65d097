internal import HoistBase
internal import HoistCore

/// The snapshot's evaluate function: one flag for the context of one call, without a history (4.2).
///
/// Where the service decides, the values are those of the client's current context.
func evaluateCampaignFlag(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  guard let (context, visitor) = evaluation.pointee.visitor(of: context, in: Snapshot(base)) else { return }
  var evaluator = CampaignEvaluator(
    base: base, context: context, visitor: visitor, history: nil, isOfCall: context.base != evaluation.pointee.inherited,
    recorder: NoSteps())
  let flag = record.assumingMemoryBound(to: CampaignFlagRecord.self)
  evaluator.fill(&evaluation.pointee, flag)
}

extension Evaluation {
  /// Whose flag is asked for.
  /// - Returns: nil where there is no such visitor, and the evaluation says why.
  @inline(__always)
  mutating func visitor(of given: UnsafeRawPointer?, in snapshot: Snapshot) -> (context: FrozenContext, id: ByteView)? {
    let root = snapshot.campaignsRoot
    if root.pointee.isPanic {
      fail(.providerNotReady, "the service has switched every flag off: panic")
    } else if root.pointee.isDecided, !isCurrent(given, inherited) {
      fail(.invalidContext, "the service decides for the client's current context: identify with this one first")
    } else if let context = (given ?? inherited).map({ FrozenContext($0) }) {
      guard let id = context.targetingKey else {
        fail(.targetingKeyMissing, "a visitor id is needed: the context has no targeting key")
        return nil
      }
      if !root.pointee.isDecided || root.pointee.flagCount > 0 { return (context, id) }
      fail(.providerNotReady, "no flags of the current context yet")
    } else {
      fail(.targetingKeyMissing, "no current context: give property `context`, or identify")
    }
    return nil
  }
}

/// Never another context's values.
func isCurrent(_ context: UnsafeRawPointer?, _ current: UnsafeRawPointer?) -> Bool {
  guard let context, context != current else { return true }
  return current.map { FrozenContext(context).says(theSameAs: FrozenContext($0)) } ?? false
}

extension CampaignEvaluator {
  /// The value of the last campaign that gives one.
  @inline(__always)
  mutating func value(of flag: UnsafePointer<CampaignFlagRecord>) -> UnsafePointer<ValueRecord>? {
    let candidates = base.at(flag.pointee.candidates)
    var index = 0
    while index < Int(flag.pointee.candidateCount), budget.spend(1) {
      let choice = decide(base.at(candidates[index]))
      index &+= 1
      if choice.variation.isNone { continue }
      let variation = base.at(choice.variation)
      let values = base.at(variation.pointee.values)
      guard budget.spend(Int(variation.pointee.valueCount) &>> 3) else { return nil }
      var place = 0
      while place < Int(variation.pointee.valueCount) {
        if values[place].flag == flag.pointee.ordinal { return values + place }
        place &+= 1
      }
    }
    return nil
  }

  /// Answers in the core's terms.
  mutating func fill(_ evaluation: inout Evaluation, _ flag: UnsafePointer<CampaignFlagRecord>) {
    let found = value(of: flag)
    if budget.isExceeded { return evaluation.failAsTooCostly() }
    guard let value = found else {
      evaluation.reason = .default
      return
    }
    let variation = base.at(value.pointee.variation)
    let group = base.at(variation.pointee.group)
    evaluation.outcome.variation = value.pointee.variation.offset
    evaluation.outcome.other = UInt32(truncatingIfNeeded: UnsafeRawPointer(value) - base)
    evaluation.enabled = true
    evaluation.variation = variation.pointee.id.bytes(base)
    evaluation.variationIndex = Int32(truncatingIfNeeded: variation - base.at(group.pointee.variations))
    evaluation.rule = group.pointee.id.bytes(base)
    // An exposure is counted, also where the value is null or of another type (4.5).
    evaluation.effects = [.impression, .record]
    evaluation.reason = .targetingMatch
    if !evaluation.take(FlagValue(base: base, record: value)) {
      evaluation.fail(.typeMismatch, "the flag's value is of another type than was asked for")
    }
  }
}

extension Evaluation {
  /// - Returns: false for a value of another type. Null is none: there is no value then.
  @inline(__always)
  fileprivate mutating func take(_ value: FlagValue) -> Bool {
    if value.kind == .null { return true }
    switch want {
    case .json:
      kind = .json
      text = value.json
    case .bool:
      guard let truth = value.bool else { return false }
      (kind, integer) = (.bool, truth ? 1 : 0)
    case .int:
      guard let whole = value.int else { return false }
      (kind, integer) = (.int, whole)
    case .double:
      guard let number = value.double else { return false }
      (kind, self.number) = (.double, number)
    case .string:
      guard let bytes = value.text else { return false }
      (kind, text) = (.string, bytes)
    case .any:
      switch value.kind {
      case .null: break
      case .bool: (kind, integer) = (.bool, value.record.pointee.integer)
      case .int: (kind, integer) = (.int, value.record.pointee.integer)
      case .double: (kind, number) = (.double, value.record.pointee.number)
      case .string: (kind, text) = (.string, value.record.pointee.text.bytes(value.base))
      case .array, .object: (kind, text) = (.json, value.json)
      }
    }
    return true
  }
}
