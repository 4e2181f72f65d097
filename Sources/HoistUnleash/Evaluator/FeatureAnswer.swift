internal import HoistBase
internal import HoistCore

/// Evaluates a flag of backend mode: the snapshot's `EvaluateFunction`.
func evaluateFeature(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  let flag = record.assumingMemoryBound(to: UnleashFlagRecord.self)
  let traits = flag.pointee.traits
  if evaluation.pointee.want == .bool, !traits.isDisjoint(with: [.alwaysOn, .alwaysOff]) {
    let isOn = traits.contains(.alwaysOn)
    evaluation.pointee.give(isOn, flag.pointee.constantReason, flag)
    return
  }
  var evaluator = Evaluator(
    base: base, context: context, inherited: evaluation.pointee.inherited, ambient: evaluation.pointee.ambient,
    recorder: NoSteps())
  evaluator.answer(flag, &evaluation.pointee)
}

extension Evaluator {
  /// Fills an evaluation: on or off, the variant when more than a boolean is wanted, counters and effects.
  @inline(__always)
  mutating func answer(_ flag: UnsafePointer<UnleashFlagRecord>, _ evaluation: inout Evaluation) {
    let verdict = decide(flag)
    evaluation.give(verdict.isOn, verdict.reason, flag)
    if evaluation.want != .bool { giveVariant(flag, verdict, &evaluation) }
    if budget.isExceeded { evaluation.failAsTooCostly() }
  }

  @inline(__always)
  private mutating func giveVariant(
    _ flag: UnsafePointer<UnleashFlagRecord>, _ verdict: Verdict, _ evaluation: inout Evaluation
  ) {
    let index = verdict.isOn ? chooseVariant(flag, verdict.strategy) : -1
    guard index >= 0 else { return evaluation.giveNoVariant(flag, base) }
    let variants = base.at(flag.pointee.variants)
    let variant = variants + Int(index)
    if verdict.reason == .static, flag.pointee.variantCount > 1 { evaluation.reason = .split }
    evaluation.give(variant, index, flag, base)
  }
}

extension Evaluation {
  /// The flag's state, as a boolean; counts yes or no.
  @inline(__always)
  mutating func give(_ isOn: Bool, _ why: Reason, _ flag: UnsafePointer<UnleashFlagRecord>) {
    enabled = isOn
    reason = why
    kind = .bool
    integer = isOn ? 1 : 0
    let traits = flag.pointee.traits
    if traits.contains(.counted) { firstCell = flag.pointee.head.firstCell &+ (isOn ? 0 : 1) }
    if traits.contains(.impression) { effects = .impression }
  }

  /// The variant "disabled": nothing to read but whether the flag is on.
  mutating func giveNoVariant(_ flag: UnsafePointer<UnleashFlagRecord>, _ base: UnsafeRawPointer) {
    let root: UnsafePointer<SnapshotRoot> = Snapshot(base).root()
    variation = root.pointee.disabledName.bytes(base)
    if flag.pointee.traits.contains(.counted) {
      secondCell = flag.pointee.head.firstCell &+ flag.pointee.head.cellCount &- 1
    }
    if want != .any { kind = .none }
  }

  @inline(__always)
  mutating func give(
    _ variant: UnsafePointer<VariantRecord>, _ index: Int32, _ flag: UnsafePointer<UnleashFlagRecord>, _ base: UnsafeRawPointer
  ) {
    variation = variant.pointee.name.bytes(base)
    variationIndex = index
    if flag.pointee.traits.contains(.counted) { secondCell = flag.pointee.head.firstCell &+ variant.pointee.cell }
    givePayload(variant, base)
  }

  /// The payload as the wanted type (C.11). No payload, or a variant that is off: no value, no error.
  @inline(__always)
  private mutating func givePayload(_ variant: UnsafePointer<VariantRecord>, _ base: UnsafeRawPointer) {
    let payload = variant.pointee.payload.bytes(base)
    switch (want, variant.pointee.payloadKind) {
    case (.any, .none): return
    case (_, .none): kind = .none
    case (.string, .string), (.string, .csv), (.any, .string), (.any, .csv), (.any, .other):
      kind = .string
      text = payload
    case (.json, .json):
      guard variant.pointee.isJSON else { return fail(.parseError, "the variant's payload is not JSON") }
      kind = .json
      text = payload
    case (.int, .number):
      guard variant.pointee.isNumber else { return fail(.parseError, "the variant's payload is not a number") }
      guard variant.pointee.isInteger else { return fail(.typeMismatch, "the variant's payload is not an integer") }
      kind = .int
      integer = variant.pointee.integer
      number = variant.pointee.number
    case (.double, .number):
      guard variant.pointee.isNumber else { return fail(.parseError, "the variant's payload is not a number") }
      kind = .double
      number = variant.pointee.number
    case (.any, .json):
      kind = variant.pointee.isJSON ? .json : .string
      text = payload
    case (.any, .number):
      kind = variant.pointee.isInteger ? .int : variant.pointee.isNumber ? .double : .string
      text = payload
      integer = variant.pointee.integer
      number = variant.pointee.number
    default:
      fail(.typeMismatch, "the variant's payload is of another type")
    }
  }
}
