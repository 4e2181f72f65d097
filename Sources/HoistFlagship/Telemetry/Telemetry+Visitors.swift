internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What visitors send and read, and what the service refuses of it, while the account asks for reports
/// (protocols/flagship.md 6.4; FS-203).
extension Telemetry {
  func sent(_ hit: HitContent, of state: VisitorState) {
    report(.sendHit, of: state) { Self.facts(of: hit.fields, type: HitType(hit.kind).text) }
  }

  func exposed(_ exposure: Exposure, of state: VisitorState) {
    let metadata = exposure.metadata
    report(.sendActivate, of: state) {
      [
        ("hit.t", "ACTIVATE"), ("hit.caid", Self.text(metadata.variationGroupID)),
        ("hit.vaid", Self.text(metadata.variationID)), ("hit.vid", String(decoding: state.identity.visitorID, as: UTF8.self)),
      ]
    }
  }

  /// The value or the exposure of a flag was requested and not available; or its exposure came before its value.
  /// - Parameter fallback: of the kind `.none` where there is none.
  func missed(_ label: TroubleshootingLabel, _ key: ByteView, _ fallback: EvaluationFallback, of state: VisitorState) {
    report(label, of: state) {
      [("flag.key", Self.text(key))] + (fallback.kind == .none ? [] : [("flag.defaultValue", Self.text(of: fallback))])
    }
  }

  /// A request was answered.
  /// - Parameters:
  ///   - label: of an answer that is no success.
  ///   - milliseconds: that the answer took; nil where it was not measured.
  func answered(_ label: TroubleshootingLabel, _ url: String, _ response: HTTPResponse, isSuccess: Bool, milliseconds: Int64?) {
    report(isSuccess ? .httpCall : label, of: nil) {
      HTTPFacts(method: "POST", url: url, response, milliseconds: milliseconds).values
    }
  }

  func answered(
    _ label: TroubleshootingLabel, _ url: String, _ answer: Result<HTTPResponse, TransportFailure>, milliseconds: Int64?
  ) {
    guard case .success(let response) = answer else { return }
    answered(label, url, response, isSuccess: 200...299 ~= response.status, milliseconds: milliseconds)
  }

  /// An error that is not a failed answer of the service.
  /// - Parameter visitor: nil for the SDK as a whole.
  func caught(_ message: String, of visitor: VisitorState?) {
    report(.errorCaught, of: visitor) { [("error.message", message)] }
  }

  private static func facts(of fields: ByteView, type: StaticString) -> [(String, String)] {
    var facts = [("hit.t", "\(type)")]
    var writer = JSONWriter()
    writer.object { HitValue.write(fields, to: &$0) }
    guard let document = try? JSONDocument(parsing: writer.bytes) else { return facts }
    document.withRoot { root in
      guard let object = root.object else { return }
      for (name, value) in object {
        let text = value.string ?? (try? value.text(wholeDoubles: .withFraction)).map { String(decoding: $0, as: UTF8.self) }
        facts.append(("hit.\(name.string)", text ?? ""))
      }
    }
    return facts
  }

  private static func text(of fallback: EvaluationFallback) -> String {
    switch fallback.kind {
    case .none: ""
    case .bool: fallback.integer != 0 ? "true" : "false"
    case .int: String(fallback.integer)
    case .double: fallback.number.description
    case .string, .json: text(fallback.text)
    }
  }

  private static func text(_ bytes: ByteView) -> String { UTF8Text.repaired(bytes) }
}
