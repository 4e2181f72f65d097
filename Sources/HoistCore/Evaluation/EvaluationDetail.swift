public import HoistBase
internal import HoistJSON

/// How a value was chosen, complete and by itself. Immutable.
public final class EvaluationDetail: Sendable {
  public let key: CText
  public let enabled: Bool
  public let variation: CText
  /// JSON.
  public let value: CText
  public let reason: Reason
  public let errorCode: ErrorCode
  public let errorMessage: CText
  /// A JSON object.
  public let metadata: CText
  /// JSON; "null" unless the evaluation was explained.
  public let explanation: CText

  init(
    key: ByteView, _ evaluation: borrowing Evaluation, value: [UInt8], metadata: [UInt8]?, explanation: [UInt8]?
  ) {
    self.key = CText(repairing: key)
    enabled = evaluation.enabled
    variation = CText(evaluation.variation)
    self.value = CText(value)
    reason = evaluation.reason
    errorCode = evaluation.errorCode
    errorMessage = evaluation.errorText
    self.metadata = metadata.map { CText($0) } ?? CText("{}")
    self.explanation = explanation.map { CText($0) } ?? CText("null")
  }

  /// All members as one JSON object.
  public func json() -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("key", string: key.bytes)
    writer.member("enabled", bool: enabled)
    writer.member("variation", string: variation.bytes)
    writer.member("value", raw: value.bytes)
    writer.member("reason", string: Array(reason.text.description.utf8))
    if errorCode != .none {
      writer.member("errorCode", string: Array(errorCode.text.description.utf8))
      writer.member("errorMessage", string: errorMessage.bytes)
    }
    writer.member("metadata", raw: metadata.bytes)
    if explanation.bytes != Array("null".utf8) { writer.member("explanation", raw: explanation.bytes) }
    writer.endObject()
  }
}

extension Evaluation {
  /// The message, or the code's own words.
  var errorText: CText {
    if let message { return CText(String(cString: message)) }
    switch errorCode {
    case .none: return CText("")
    case .providerNotReady: return CText("no flags yet: the client has neither fetched nor stored any")
    case .flagNotFound: return CText("no flag of this key")
    case .typeMismatch: return CText("the flag's value is of another type than was asked for")
    case .parseError: return CText("the flag or its value cannot be read")
    case .targetingKeyMissing: return CText("the context has no targeting key")
    case .invalidContext: return CText("the context cannot be used here")
    case .providerFatal: return CText("the service refuses this client")
    case .general: return CText("the evaluation failed")
    }
  }

  /// What the flag holds, as JSON.
  func jsonValue() -> [UInt8] {
    var writer = JSONWriter()
    switch kind {
    case .none: return Array("null".utf8)
    case .bool: writer.bool(integer != 0)
    case .int: writer.int(integer)
    case .double: writer.double(number)
    case .string: writer.string(Array(text))
    case .json: return Array(text)
    }
    return writer.bytes
  }
}
