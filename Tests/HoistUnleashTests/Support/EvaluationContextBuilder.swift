import HoistCore

enum EvaluationContextBuilder {
  /// Attributes a0, a1 … with values of their own.
  static func many(_ count: Int) -> EvaluationContext {
    EvaluationContext(
      attributes: (0..<count).map {
        Attribute(name: Array("a\($0)".utf8), value: .string(Array("value \($0)".utf8)))
      })
  }
}
