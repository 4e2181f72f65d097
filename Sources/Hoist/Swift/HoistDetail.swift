internal import HoistCore

/// How a value was chosen. Immutable, complete by itself.
public struct HoistDetail: Sendable, CustomStringConvertible {
  private let detail: EvaluationDetail
  init(_ detail: EvaluationDetail) { self.detail = detail }

  /// The flag key as it was asked for.
  public var key: String { detail.key.string }
  public var isEnabled: Bool { detail.enabled }
  /// Name of the variation; nil when there is none.
  public var variation: String? { detail.variation.count == 0 ? nil : detail.variation.string }
  /// What the flag holds, as JSON text; "null" when nothing.
  public var value: String { detail.value.string }
  /// In the words of OpenFeature, e.g. "TARGETING_MATCH".
  public var reason: String { "\(detail.reason.text)" }
  /// In the words of OpenFeature, e.g. "FLAG_NOT_FOUND"; nil when nothing is wrong.
  public var errorCode: String? { detail.errorCode == .none ? nil : "\(detail.errorCode.text)" }
  /// One line for people; "" when nothing is wrong.
  public var errorMessage: String { detail.errorMessage.string }
  /// What the service tells about the flag, as a JSON object.
  public var metadata: String { detail.metadata.string }
  /// The steps of `explain`, as JSON; "null" otherwise.
  public var explanation: String { detail.explanation.string }
  /// All of it as one JSON object.
  public var json: String { String(decoding: detail.json(), as: UTF8.self) }
  public var description: String { json }
}
