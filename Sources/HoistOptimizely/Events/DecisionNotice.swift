public import HoistBase
internal import HoistCore
internal import HoistJSON

/// The notification of a decision: `decisionInfo` of the vendor's notifications (protocols/optimizely.md 5.5).
public enum DecisionNotice {
  /// Type `flag`.
  /// - Returns: nil for an error decision, which is not announced.
  public static func flag(_ decision: OptimizelyDecision, reasons: [DecisionReason]) -> [UInt8]? {
    guard !decision.isError, decision.neededPrediction == nil else { return nil }
    return text { writer in
      writer.member("flagKey", decision.flagKey)
      writer.key("enabled")
      writer.bool(decision.enabled)
      writer.key("variables")
      writer.raw(decision.variables)
      writer.member("variationKey", decision.variationKey)
      writer.member("ruleKey", decision.ruleKey)
      writer.key("reasons")
      writer.array { writer in for reason in reasons { writer.string(reason.text) } }
      writer.key("decisionEventDispatched")
      writer.bool(decision.sendsImpression || decision.sendsHoldoutImpression)
      writer.member("experimentId", decision.ruleID)
      writer.member("variationId", decision.variationID)
    }
  }

  /// Types `ab-test` and `feature-test`.
  public static func experiment(_ decision: ExperimentDecision) -> [UInt8] {
    text { writer in
      writer.member("experimentKey", decision.experimentKey)
      writer.member("variationKey", decision.variationKey)
    }
  }

  /// Type `feature`.
  public static func feature(_ decision: OptimizelyDecision) -> [UInt8] {
    text { writer in
      writer.member("featureKey", decision.flagKey)
      writer.key("featureEnabled")
      writer.bool(decision.enabled)
      writeSource(decision, to: &writer)
    }
  }

  /// Type `feature-variable`.
  public static func variable(
    _ decision: OptimizelyDecision, key: ByteView, type: OptimizelyVariableType, value: OptimizelyValue
  ) -> [UInt8] {
    text { writer in
      writer.member("featureKey", decision.flagKey)
      writer.key("featureEnabled")
      writer.bool(decision.enabled)
      writer.member("variableKey", key)
      writer.key("variableType")
      writer.string(type.name.description)
      writer.key("variableValue")
      value.write(to: &writer)
      writeSource(decision, to: &writer)
    }
  }

  /// Type `all-feature-variables`.
  public static func allVariables(_ decision: OptimizelyDecision) -> [UInt8] {
    text { writer in
      writer.member("featureKey", decision.flagKey)
      writer.key("featureEnabled")
      writer.bool(decision.enabled)
      writer.key("variableValues")
      writer.raw(decision.variables)
      writeSource(decision, to: &writer)
    }
  }

  private static func text(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.object(members)
    return writer.bytes
  }

  private static func writeSource(_ decision: OptimizelyDecision, to writer: inout JSONWriter) {
    writer.key("source")
    writer.string(decision.source.text.description)
    writer.key("sourceInfo")
    writer.object { writer in
      guard let rule = decision.ruleKey else { return }
      writer.member("experimentKey", rule)
      writer.member("variationKey", decision.variationKey)
    }
  }
}

extension OptimizelyValue {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .string(let text): writer.string(utf8: text.bindMemory(to: UInt8.self))
    case .integer(let whole): writer.int(whole)
    case .double(let number): writer.double(number)
    case .boolean(let truth): writer.bool(truth)
    case .json(let object): writer.raw(object)
    }
  }

  /// As JSON text.
  public var json: [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    write(to: &writer)
    return writer.bytes
  }
}
