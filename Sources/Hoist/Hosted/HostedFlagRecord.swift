internal import HoistBase
internal import HoistCore

/// A flag of a provider plug-in as the snapshot holds it; begins with the core's `FlagHead`.
struct HostedFlagRecord: BitwiseCopyable {
  var head: FlagHead
  /// Of everything that decides the flag's value.
  var fingerprint: UInt64
  var traits: HostedFlagTraits
  /// -1 for none.
  var defaultVariation: Int32
  /// `HostedVariationRecord`s one after the other.
  var variations: Place<HostedVariationRecord> = .none
  var variationCount: Int32 = 0
  /// A JSON object; none for an empty one.
  var metadata: TextReference
}

struct HostedFlagTraits: OptionSet, BitwiseCopyable {
  let rawValue: UInt8
  static var enabled: HostedFlagTraits { HostedFlagTraits(rawValue: 1) }
  static var decidedPerCall: HostedFlagTraits { HostedFlagTraits(rawValue: 2) }
  static var recorded: HostedFlagTraits { HostedFlagTraits(rawValue: 4) }
}

struct HostedVariationRecord: BitwiseCopyable {
  var name: TextReference
  /// `.none` for null.
  var kind: ValueKind = .none
  /// A number without a fraction, within 64 bits: it reads as `.int` and as `.double`.
  var isWhole = false
  /// A string's bytes.
  var string: TextReference = .none
  /// The value as JSON text.
  var json: TextReference = .none
  var integer: Int64 = 0
  var number: Double = 0
}

/// What the snapshot's root offset leads to.
struct HostedRoot: BitwiseCopyable {
  /// Fingerprint of the only context that the flags hold for; 0 takes any.
  var contextFingerprint: UInt64
  /// The instance that decides, kept alive by the snapshot's resources.
  var instance: Unmanaged<HostedInstance>
}

/// Answers for a flag of a provider plug-in: the snapshot's `EvaluateFunction`. What is not decided per call is read as
/// it was published, without a call into the host.
func evaluateHostedFlag(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  let evaluation = out.assumingMemoryBound(to: Evaluation.self)
  let flag = record.assumingMemoryBound(to: HostedFlagRecord.self)
  let root: UnsafePointer<HostedRoot> = Snapshot(base).root()
  if root.pointee.contextFingerprint != 0, let context, context != evaluation.pointee.inherited,
    !isServed(context, evaluation.pointee.inherited, root.pointee.contextFingerprint)
  {
    return evaluation.pointee.fail(
      .invalidContext, "the service evaluates for the client's current context: identify with this one first")
  }
  let traits = flag.pointee.traits
  if traits.contains(.recorded) { evaluation.pointee.effects = .record }
  guard traits.contains(.enabled) else {
    evaluation.pointee.reason = .disabled
    if flag.pointee.variationCount == 0 { evaluation.pointee.give(isOn: false) }
    return
  }
  evaluation.pointee.enabled = true
  guard traits.contains(.decidedPerCall) else {
    evaluation.pointee.reason = .static
    return evaluation.pointee.give(flag, flag.pointee.defaultVariation, base)
  }
  let decision = root.pointee.instance._withUnsafeGuaranteedRef {
    $0.decide(flag, base, context: context ?? evaluation.pointee.inherited)
  }
  if let refusal = decision.refusal { return evaluation.pointee.fail(refusal.code, refusal.message) }
  evaluation.pointee.enabled = decision.isEnabled
  evaluation.pointee.reason = decision.reason
  evaluation.pointee.give(flag, decision.variation, base)
}

/// Never another context's values: the current context always gets the flags, another one only when it equals the
/// current one or the one they were made for.
func isServed(_ context: UnsafeRawPointer, _ current: UnsafeRawPointer?, _ served: UInt64) -> Bool {
  let fingerprint = FrozenContext(context).fingerprint
  return fingerprint == served || current.map { FrozenContext($0).fingerprint == fingerprint } ?? false
}

extension Evaluation {
  /// The value of a switch.
  fileprivate mutating func give(isOn: Bool) {
    guard want == .bool || want == .any else { return fail(.typeMismatch, Self.otherType) }
    kind = .bool
    integer = isOn ? 1 : 0
  }

  private static var otherType: StaticString { "the flag's value is of another type than was asked for" }

  /// - Parameter index: of a variation that the flag has, or -1.
  @inline(__always)
  fileprivate mutating func give(_ flag: UnsafePointer<HostedFlagRecord>, _ index: Int32, _ base: UnsafeRawPointer) {
    if flag.pointee.variationCount == 0 { return give(isOn: enabled) }
    guard index >= 0 else { return }
    let first = base.at(flag.pointee.variations)
    let value = first + Int(index)
    guard take(value, base) else { return fail(.typeMismatch, Self.otherType) }
    variation = value.pointee.name.bytes(base)
    variationIndex = index
  }

  /// The value as the caller wants it, without coercion from one type of JSON to another.
  /// - Returns: false for a value of another type. Null is no error: there is no value then.
  @inline(__always)
  private mutating func take(_ value: UnsafePointer<HostedVariationRecord>, _ base: UnsafeRawPointer) -> Bool {
    let held = value.pointee.kind
    if held == .none { return true }
    switch want {
    case .json:
      kind = .json
      text = value.pointee.json.bytes(base)
      return true
    case .int:
      guard value.pointee.isWhole else { return false }
      kind = .int
    case .double:
      guard held == .double || held == .int else { return false }
      kind = .double
    case .bool:
      guard held == .bool else { return false }
      kind = .bool
    case .string:
      guard held == .string else { return false }
      kind = .string
    case .any: kind = held
    }
    integer = value.pointee.integer
    number = value.pointee.number
    text = (kind == .string ? value.pointee.string : value.pointee.json).bytes(base)
    return true
  }
}
