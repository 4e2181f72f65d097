public import HoistBase

/// What type the caller asked for.
@frozen
public enum WantedType: UInt8, Sendable {
  /// Whatever the flag holds.
  case any = 0
  case bool, int, double, string, json
}

@frozen
public enum ValueKind: UInt8, Sendable {
  case none = 0, bool, int, double, string, json
}

/// How a value was chosen, in the words of OpenFeature.
@frozen
public enum Reason: UInt8, Sendable {
  case unknown = 0, `static`, `default`, targetingMatch, split, cached, disabled, stale, error

  public var text: StaticString {
    switch self {
    case .unknown: "UNKNOWN"
    case .static: "STATIC"
    case .default: "DEFAULT"
    case .targetingMatch: "TARGETING_MATCH"
    case .split: "SPLIT"
    case .cached: "CACHED"
    case .disabled: "DISABLED"
    case .stale: "STALE"
    case .error: "ERROR"
    }
  }
}

/// Why there is no value, in the words of OpenFeature.
@frozen
public enum ErrorCode: UInt8, Sendable {
  case none = 0, providerNotReady, flagNotFound, parseError, typeMismatch, targetingKeyMissing, invalidContext
  case providerFatal, general

  public var text: StaticString {
    switch self {
    case .none: ""
    case .providerNotReady: "PROVIDER_NOT_READY"
    case .flagNotFound: "FLAG_NOT_FOUND"
    case .parseError: "PARSE_ERROR"
    case .typeMismatch: "TYPE_MISMATCH"
    case .targetingKeyMissing: "TARGETING_KEY_MISSING"
    case .invalidContext: "INVALID_CONTEXT"
    case .providerFatal: "PROVIDER_FATAL"
    case .general: "GENERAL"
    }
  }
}

/// What the client must do because of an evaluation.
@frozen
public struct Effects: OptionSet, BitwiseCopyable, Sendable {
  public let rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Tell observers of impressions.
  @inlinable public static var impression: Effects { Effects(rawValue: 1) }
  /// Hand the evaluation to the provider's `record` (assignments, exposures, profile saves).
  @inlinable public static var record: Effects { Effects(rawValue: 2) }
  /// Warn of a context that was refused.
  @inlinable public static var refusal: Effects { Effects(rawValue: 4) }
  /// Count and warn of rules that cost more than an evaluation may.
  @inlinable public static var excess: Effects { Effects(rawValue: 8) }
}

/// Things an evaluation may depend on beside snapshot and context; passed in so that tests can fix them.
@frozen
public struct Ambient {
  /// Milliseconds since 1970; `Int64.min` asks the machine's clock.
  public var unixMilliseconds: Int64 = .min
  /// When not nil, draws come from this generator state instead of the thread's own.
  public var random: UnsafeMutablePointer<UInt64>?
  public init() {}
}

/// How an answer came about, in a provider's own terms: mostly offsets into the snapshot.
@frozen
public struct EvaluationOutcome: BitwiseCopyable, Sendable {
  /// The rule that decided; 0 for none.
  public var rule: UInt32 = 0
  /// The variation served; 0 for none.
  public var variation: UInt32 = 0
  /// The provider's own bits about the evaluation; 0 for none.
  public var other: UInt32 = 0
  public var bits: UInt32 = 0

  @inlinable public init() {}
}

/// One evaluation: the question (`want`, `inherited`, `subject`, `options`, `ambient`) and the answer. Plain memory; the
/// texts point into the snapshot and live as long as it does.
@frozen
public struct Evaluation {
  /// The client's own context: consulted for what the call's context lacks. A frozen context or nil.
  public var inherited: UnsafeRawPointer?
  public var ambient: UnsafePointer<Ambient>?
  /// What the provider knows of the visitor beside the context (forced decisions, stored assignments, segments);
  /// memory of a type of the provider's own, or nil.
  public var subject: UnsafeRawPointer?
  /// The provider's own options of this call.
  public var options: UInt32 = 0
  public var want: WantedType
  /// The caller gets more than the value: a detail.
  public var isDetailed = false
  /// What the caller gets when there is no value; nil for null, and where the caller named none. Set for the recorder
  /// of the evaluation, not for the evaluate function.
  public var fallback: UnsafePointer<EvaluationFallback>?
  /// Where the answer came from: the snapshot's base and the flag's record. Set on the slow path only, for vendors'
  /// own calls.
  public var base: UnsafeRawPointer?
  public var record: UnsafeRawPointer?

  public var reason: Reason = .unknown
  public var errorCode: ErrorCode = .none
  public var kind: ValueKind = .none
  public var effects: Effects = []
  /// The flag is on.
  public var enabled = false
  /// Name of the variation; without address when there is none. NUL-terminated.
  public var variation = ByteView(start: nil, count: 0)
  /// Index of the variation in the vendor's order; -1 when there is none.
  public var variationIndex: Int32 = -1
  /// Key of the rule that chose the variation; without address when there is none. NUL-terminated.
  public var rule = ByteView(start: nil, count: 0)
  public var outcome = EvaluationOutcome()
  /// A string's bytes, or JSON text. NUL-terminated.
  public var text = ByteView(start: nil, count: 0)
  /// Integers, and booleans as 0 and 1.
  public var integer: Int64 = 0
  public var number: Double = 0
  /// Counters to raise by one; `UInt32.max` for none.
  public var firstCell: UInt32 = .max
  public var secondCell: UInt32 = .max
  /// A C string that never dies, for people, when `errorCode` is set; nil gives the code's own words.
  public var message: UnsafePointer<CChar>?

  @inlinable @inline(__always)
  public init(want: WantedType, isDetailed: Bool = false) {
    self.want = want
    self.isDetailed = isDetailed
  }

  @inlinable @inline(__always)
  public mutating func fail(_ code: ErrorCode, _ text: StaticString) {
    errorCode = code
    if code == .invalidContext { effects = .refusal }
    reason = .error
    kind = .none
    message = UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
