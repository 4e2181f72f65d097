internal import HoistBase
internal import HoistCore

/// Answers for a flag of frontend mode, which the service has evaluated: the snapshot's `EvaluateFunction`.
///
/// The values are for one context. The client's current one always gets them (also while those of a newer one
/// are still being fetched), another one only when it equals the one they were fetched for.
func evaluateToggle(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  let flag = record.assumingMemoryBound(to: UnleashFlagRecord.self)
  if let context, context != evaluation.pointee.inherited,
    !isServed(context, evaluation.pointee.inherited, Snapshot(base).root())
  {
    return evaluation.pointee.fail(
      .invalidContext, "the service evaluates for the client's current context: identify with this one first")
  }
  evaluation.pointee.give(flag.pointee.traits.contains(.enabled), flag.pointee.constantReason, flag)
  if evaluation.pointee.want != .bool { giveToggleVariant(flag, &evaluation.pointee, base) }
}

func isServed(
  _ context: UnsafeRawPointer, _ current: UnsafeRawPointer?, _ root: UnsafePointer<SnapshotRoot>
) -> Bool {
  guard let served = root.pointee.context else { return true }
  let given = ContextFingerprint(FrozenContext(context))
  return served.accepts(given) || current.map { ContextFingerprint(FrozenContext($0)).accepts(given) } ?? false
}

/// The variant as it was sent, also when it is off: then it has a name but no value (D.6).
private func giveToggleVariant(
  _ flag: UnsafePointer<UnleashFlagRecord>, _ evaluation: inout Evaluation, _ base: UnsafeRawPointer
) {
  guard flag.pointee.variantCount > 0 else { return evaluation.giveNoVariant(flag, base) }
  let variant = base.at(flag.pointee.variants)
  if variant.pointee.enabled { return evaluation.give(variant, 0, flag, base) }
  evaluation.variation = variant.pointee.name.bytes(base)
  evaluation.variationIndex = 0
  if flag.pointee.traits.contains(.counted) {
    evaluation.secondCell = flag.pointee.head.firstCell &+ variant.pointee.cell
  }
  if evaluation.want != .any { evaluation.kind = .none }
}
