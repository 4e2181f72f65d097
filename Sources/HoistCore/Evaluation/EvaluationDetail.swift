internal import HoistBase
internal import HoistJSON

/// How a value was chosen, complete and by itself. Immutable.
public final class EvaluationDetail: Sendable {
  public let key: CText
  public let enabled: Bool
  public let variation: CText
  /// JSON: what the caller gets.
  public let value: CText
  /// The same where that is a text; nil for other values.
  public let text: CText?
  public let reason: Reason
  public let errorCode: ErrorCode
  public let errorMessage: CText
  /// A JSON object.
  public let metadata: CText
  /// JSON; "null" unless the evaluation was explained.
  public let explanation: CText
  /// Flags could be served, and none of this key is among them: also before the first ones have come.
  public let isMissing: Bool
  private let isExplained: Bool

  /// - Parameter fallback: what the caller gets where there is no value.
  init(
    key: ByteView, _ evaluation: borrowing Evaluation, _ fallback: EvaluationFallback, metadata: [UInt8]?, explanation: [UInt8]?
  ) {
    self.key = CText(repairing: key)
    enabled = evaluation.enabled
    variation = evaluation.variation.isEmpty ? .empty : CText(evaluation.variation)
    let hasValue = evaluation.kind != .none
    value = hasValue ? CText(evaluation.jsonValue()) : fallback.json.map { CText($0) } ?? .null
    text =
      (hasValue ? evaluation.kind : fallback.kind) != .string
      ? nil : hasValue ? CText(evaluation.text) : CText(repairing: fallback.text)
    reason = evaluation.reason
    errorCode = evaluation.errorCode
    errorMessage = evaluation.errorText
    let (base, record) = (evaluation.base, evaluation.record)
    isMissing = base != nil && record == nil
    self.metadata = metadata.map { CText($0) } ?? .emptyObject
    isExplained = explanation != nil
    self.explanation = explanation.map { CText($0) } ?? .null
  }

  /// The same with another value.
  private init(_ detail: EvaluationDetail, value: CText) {
    key = detail.key
    enabled = detail.enabled
    variation = detail.variation
    self.value = value
    text = detail.text
    reason = detail.reason
    errorCode = detail.errorCode
    errorMessage = detail.errorMessage
    isMissing = detail.isMissing
    metadata = detail.metadata
    explanation = detail.explanation
    isExplained = detail.isExplained
  }

  /// The same for a caller that returns another value, as JSON text: the fallback.
  public func returning(_ value: [UInt8]) -> EvaluationDetail { EvaluationDetail(self, value: CText(value)) }

  /// All members as one JSON object.
  public func json() -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout JSONWriter) {
    func text(_ name: String, _ value: CText) {
      writer.key(name)
      writer.string(utf8: value.buffer)
    }
    func json(_ name: String, _ value: CText) {
      writer.member(name, raw: value.buffer)
    }
    writer.beginObject()
    text("key", key)
    writer.member("enabled", enabled)
    text("variation", variation)
    json("value", value)
    text("reason", CText(reason.text))
    if errorCode != .none {
      text("errorCode", CText(errorCode.text))
      text("errorMessage", errorMessage)
    }
    json("metadata", metadata)
    if isExplained { json("explanation", explanation) }
    writer.endObject()
  }
}

extension Evaluation {
  /// The message, or the code's own words.
  var errorText: CText {
    if let message { return CText(String(cString: message)) }
    switch errorCode {
    case .none: return .empty
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
  public func jsonValue() -> [UInt8] {
    var writer = JSONWriter()
    switch kind {
    case .none: return Array("null".utf8)
    case .bool: writer.bool(integer != 0)
    case .int: writer.int(integer)
    case .double: writer.double(number)
    case .string: writer.string(text)
    case .json: return text.isEmpty ? Array("null".utf8) : Array(text)
    }
    return writer.bytes
  }
}
