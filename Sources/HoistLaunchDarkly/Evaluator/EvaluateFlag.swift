internal import CShims
internal import HoistBase
internal import HoistCore

/// What the vendor's own calls ask for (`Evaluation.options`).
public enum VariationOptions {
  public static let cutsFractions: UInt32 = 1
  /// A migration's stage, which hooks hear of as such: a text that names none is of the wrong type.
  public static let migration: UInt32 = 2
}

/// Answers for a flag (4.2): the snapshot's evaluate function. The service has evaluated; this checks the context and
/// the type, and whether the evaluation is more than a count.
func evaluateFlag(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  let snapshot = Snapshot(base)
  let flag = record.assumingMemoryBound(to: LaunchDarklyFlagRecord.self)
  let root: UnsafePointer<FlagsRoot> = snapshot.root()
  // The current one always gets what there is.
  if let context, context != evaluation.pointee.inherited, !isServed(context, evaluation.pointee.inherited, root) {
    return evaluation.pointee.fail(
      .invalidContext, "the service evaluates for the client's current context: identify with this one first")
  }
  evaluation.pointee.firstCell = flag.pointee.head.firstCell
  let traits = flag.pointee.traits
  let word = snapshot.periodWord(of: flag, root)
  if traits.contains(.recorded) || word.map({ shim_load_u32($0) }) != root.period {
    evaluation.pointee.effects = .record
  }
  // Null is no error: there is no value then.
  guard flag.pointee.value.isNull || evaluation.pointee.take(flag.pointee.value, base) else {
    evaluation.pointee.effects = .record
    return evaluation.pointee.fail(.typeMismatch, "the flag's value is of another type than was asked for")
  }
  evaluation.pointee.reason = flag.pointee.coreReason
  evaluation.pointee.enabled = traits.contains(.enabled)
  if traits.contains(.hasVariation) {
    evaluation.pointee.variation = flag.pointee.variationName.bytes(base)
    evaluation.pointee.variationIndex = Int32(clamping: flag.pointee.variation)
  }
}

/// Never another context's values: while the context changes, flags are served for the one they were evaluated for.
func isServed(
  _ context: UnsafeRawPointer, _ current: UnsafeRawPointer?, _ root: UnsafePointer<FlagsRoot>
) -> Bool {
  let fingerprint = FrozenContext(context).servedFingerprint
  if root.pointee.context != 0 {
    return root.pointee.context == fingerprint || root.pointee.spelling == fingerprint && fingerprint != 0
  }
  return current.map { FrozenContext($0).servedFingerprint == fingerprint } ?? false
}
