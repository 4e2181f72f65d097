internal import HoistBase
internal import HoistCore

/// Variants (protocols/unleash.md C.8).
extension Evaluator {
  /// The variant of a flag whose first strategy that holds is `strategy`.
  /// - Returns: index among the flag's variants; -1 for none.
  @inline(__always)
  mutating func chooseVariant(
    _ flag: UnsafePointer<UnleashFlagRecord>, _ strategy: UnsafePointer<StrategyRecord>?
  ) -> Int32 {
    let own = strategy?.pointee.variantSet ?? .none
    let set = own.isNone ? flag.pointee.variantSet : own
    return set.isNone ? -1 : choose(flag, base.at(set))
  }

  private mutating func choose(
    _ flag: UnsafePointer<UnleashFlagRecord>, _ set: UnsafePointer<VariantSet>
  ) -> Int32 {
    if set.pointee.overrideCount > 0, let given = overridden(set) {
      recorder.note { [base] in $0.override(flag, given, base) }
      return Int32(truncatingIfNeeded: given)
    }
    guard set.pointee.total > 0 else { return -1 }
    let identity = set.pointee.field.isNone ? findDefaultIdentity() : find(base.at(set.pointee.field))
    let target: UInt64
    if let identity {
      let hash = set.pointee.group.finish(appending: identity.bytes)
      target = remainder(hash, set.pointee.total) &+ 1
    } else {
      target = draw(below: set.pointee.total) &+ 1
    }
    guard budget.spend(Int(set.pointee.count)) else { return -1 }
    let variants = base.at(flag.pointee.variants)
    var index = Int(set.pointee.first)
    let last = index &+ Int(set.pointee.count) &- 1
    while index < last, variants[index].upTo < target { index &+= 1 }
    recorder.note { [base] in $0.variant(set, variants + index, identity, target, base) }
    return Int32(truncatingIfNeeded: index)
  }

  /// Weights beyond 32 bits are possible; the short division is the quick one.
  @inline(__always)
  private func remainder(_ hash: UInt32, _ total: UInt64) -> UInt64 {
    if let short = UInt32(exactly: total) { return UInt64(hash % max(short, 1)) }
    return UInt64(hash)
  }

  /// The first override, in the order of variants, whose field has one of its values.
  @inline(never)
  private mutating func overridden(_ set: UnsafePointer<VariantSet>) -> UInt32? {
    let overrides = base.at(set.pointee.overrides)
    for index in 0..<Int(set.pointee.overrideCount) {
      let override = overrides + index
      guard budget.spend(StepBudget.condition) else { return nil }
      guard let value = find(base.at(override.pointee.field)) else { continue }
      if withUnsafePointer(to: override.pointee.values, { contains($0, value) }) { return override.pointee.variant }
    }
    return nil
  }
}
