public import HoistCore
internal import HoistJSON

/// What a detail says in LaunchDarkly's words (4.2.1, LD-63).
public enum DetailReason {
  /// The error kind; nil where the evaluation is no error of the client's.
  public static func errorKind(_ detail: EvaluationDetail) -> StaticString? {
    switch detail.errorCode {
    case .none: nil
    // While started the vendor's SDKs know no other reason (4.2.1).
    case _ where detail.isMissing: "FLAG_NOT_FOUND"
    case .flagNotFound: "FLAG_NOT_FOUND"
    case .providerNotReady, .providerFatal: "CLIENT_NOT_READY"
    case .typeMismatch: "WRONG_TYPE"
    case .parseError: "MALFORMED_FLAG"
    case .invalidContext, .targetingKeyMissing: "USER_NOT_SPECIFIED"
    case .general: "EXCEPTION"
    }
  }

  /// JSON text: the service's reason word for word, or that of the client's error; nil when there is none.
  public static func json(_ detail: EvaluationDetail) -> [UInt8]? {
    let told = member("reason", of: detail) { $0.source.map { Array($0) } }
    return told ?? errorKind(detail).map { Array("{\"kind\":\"ERROR\",\"errorKind\":\"\($0)\"}".utf8) }
  }

  /// nil when the service named no variation, and for errors.
  public static func variationIndex(_ detail: EvaluationDetail) -> Int64? {
    member("variationIndex", of: detail) { $0.int64 }
  }

  private static func member<Result>(
    _ name: StaticString, of detail: EvaluationDetail, _ read: (JSONNode) -> Result?
  ) -> Result? {
    let result = try? JSONNode.parse(UnsafeRawBufferPointer(detail.metadata.buffer)) { $0[name].flatMap(read) }
    return result ?? nil
  }
}
