internal import HoistBase
internal import HoistCore

/// The evaluate function of snapshots of rules: decides, and gives the value as it is wanted (5.1, 5.2). What a detail says
/// beyond that stands in the outcome; see `ServerReason`.
func evaluateServerFlag(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let flag = record.assumingMemoryBound(to: ServerFlagRecord.self)
  out.assumingMemoryBound(to: Evaluation.self).pointee.answer(flag, base, context)
}

extension Evaluation {
  @inline(__always)
  fileprivate mutating func answer(
    _ flag: UnsafePointer<ServerFlagRecord>, _ base: UnsafeRawPointer, _ context: UnsafeRawPointer?
  ) {
    guard var evaluator = ServerEvaluator(base, context, NoWatch()) else {
      if context == nil {
        fail(.targetingKeyMissing, "no current context: give `context`, identify, or name one in the call")
      } else {
        fail(.invalidContext, "the service takes no such context: its kind, key, name or anonymous is not as it must be")
      }
      outcome = ServerReason(kind: .error, fault: .invalidContext).outcome
      return
    }
    if flag.pointee.traits.contains(.unlisted) {
      fail(.flagNotFound, "no flag of this key")
      outcome = ServerReason(kind: .error, fault: .flagNotFound).outcome
      return
    }
    let result = evaluator.evaluate(flag)
    if evaluator.budget.isExceeded { return failAsTooCostly() }
    take(result, of: flag, base)
  }

  /// - Parameter result: of an evaluation that came to its end.
  @inline(__always)
  mutating func take(_ result: ServerResult, of flag: UnsafePointer<ServerFlagRecord>, _ base: UnsafeRawPointer) {
    firstCell = flag.pointee.head.firstCell &+ flag.pointee.variations.count
    outcome = result.reason.outcome
    effects = .record
    if result.reason.kind == .error { return fail(.parseError, "the flag's rules are malformed") }
    reason = result.reason.coreReason
    guard result.variation >= 0 else { return }
    let value = base.at(flag.pointee.variations.first.at(Int(result.variation)))
    guard take(value.pointee, base) else {
      fail(.typeMismatch, "the flag's value is of another type than was asked for")
      outcome = ServerReason(kind: .error, fault: .wrongType).outcome
      return
    }
    firstCell = flag.pointee.head.firstCell &+ UInt32(bitPattern: result.variation)
    variationIndex = result.variation
    enabled = reason != .disabled && !value.pointee.isNull && !(value.pointee.kind == .bool && value.pointee.integer == 0)
  }
}
