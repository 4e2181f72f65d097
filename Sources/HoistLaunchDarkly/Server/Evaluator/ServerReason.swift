internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Why a flag has its value (protocols/launchdarkly-server.md 5.3): plain memory, with places in the snapshot.
struct ServerReason: BitwiseCopyable {
  enum Kind: UInt8 { case error = 0, off, fallsThrough, targetMatch, ruleMatch, prerequisiteFailed }
  enum Fault: UInt8 { case none = 0, malformedFlag, wrongType, invalidContext, flagNotFound }

  var kind: Kind
  var fault: Fault = .none
  var isInExperiment = false
  /// Events tell of it in full: it is in an experiment, of the new style or the old.
  var isTracked = false
  var bigSegments: BigSegmentsStatus = .unasked
  /// Of the rule or the prerequisite.
  var place: UInt32 = 0

  static let malformed = ServerReason(kind: .error, fault: .malformedFlag)

  /// What is in the core's words.
  var coreReason: Reason {
    switch kind {
    case .error: .error
    case .off, .prerequisiteFailed: .disabled
    case .fallsThrough: isInExperiment ? .split : .default
    case .ruleMatch: isInExperiment ? .split : .targetingMatch
    case .targetMatch: .targetingMatch
    }
  }
}

/// The same in the words that an evaluation carries.
extension ServerReason {
  @inline(__always)
  init(_ outcome: EvaluationOutcome) {
    kind = Kind(rawValue: UInt8(truncatingIfNeeded: outcome.bits & 7)) ?? .error
    fault = Fault(rawValue: UInt8(truncatingIfNeeded: outcome.bits &>> 3 & 7)) ?? .none
    isInExperiment = outcome.bits & 1 &<< 6 != 0
    isTracked = outcome.bits & 1 &<< 7 != 0
    bigSegments = BigSegmentsStatus(rawValue: UInt8(truncatingIfNeeded: outcome.bits &>> 8 & 7)) ?? .unasked
    place = outcome.rule
  }

  @inline(__always)
  var outcome: EvaluationOutcome {
    var outcome = EvaluationOutcome()
    outcome.bits =
      UInt32(kind.rawValue) | UInt32(fault.rawValue) &<< 3 | (isInExperiment ? 1 &<< 6 : 0) | (isTracked ? 1 &<< 7 : 0)
    outcome.bits |= UInt32(bigSegments.rawValue) &<< 8
    outcome.rule = place
    return outcome
  }
}

/// As JSON.
extension ServerReason {
  func write(to writer: inout JSONWriter, _ base: UnsafeRawPointer) {
    writer.beginObject()
    switch kind {
    case .error:
      writer.member("kind", "ERROR")
      writer.member("errorKind", fault.text)
    case .off: writer.member("kind", "OFF")
    case .fallsThrough: writer.member("kind", "FALLTHROUGH")
    case .targetMatch: writer.member("kind", "TARGET_MATCH")
    case .ruleMatch:
      writer.member("kind", "RULE_MATCH")
      let rule = base.at(Place<ServerRuleRecord>(offset: place))
      writer.member("ruleIndex", rule.pointee.index)
      if !rule.pointee.id.isNone { writer.member("ruleId", rule.pointee.id.bytes(base)) }
    case .prerequisiteFailed:
      writer.member("kind", "PREREQUISITE_FAILED")
      writer.member("prerequisiteKey", base.at(Place<PrerequisiteRecord>(offset: place)).pointee.key.text.bytes(base))
    }
    if isInExperiment { writer.member("inExperiment", true) }
    if let status = bigSegments.text { writer.member("bigSegmentsStatus", status) }
    writer.endObject()
  }
}

extension ServerReason.Fault {
  fileprivate var text: StaticString {
    switch self {
    case .none: "EXCEPTION"
    case .malformedFlag: "MALFORMED_FLAG"
    case .wrongType: "WRONG_TYPE"
    case .invalidContext: "USER_NOT_SPECIFIED"
    case .flagNotFound: "FLAG_NOT_FOUND"
    }
  }
}

/// What an evaluation of the rules has found.
struct ServerResult: BitwiseCopyable {
  /// Place among the flag's variations; -1 for none.
  var variation: Int32
  var reason: ServerReason

  static let malformed = ServerResult(variation: -1, reason: .malformed)
}
