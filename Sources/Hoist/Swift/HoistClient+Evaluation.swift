internal import CShims
internal import HoistBase
internal import HoistCore

/// Values of flags. Each call counts as one evaluation; context nil means the client's current one.
extension HoistClient {
  public func bool(_ key: String, for context: HoistContext? = nil, default fallback: Bool) -> Bool {
    read(key, context, .bool, fallback, EvaluationFallback(fallback)) { FlagValue.bool($0) }
  }

  /// A value with a fraction is a type mismatch.
  public func int(_ key: String, for context: HoistContext? = nil, default fallback: Int) -> Int {
    read(key, context, .int, fallback, EvaluationFallback(Int64(fallback))) { FlagValue.int($0) }
  }

  public func double(_ key: String, for context: HoistContext? = nil, default fallback: Double) -> Double {
    read(key, context, .double, fallback, EvaluationFallback(fallback)) { FlagValue.double($0) }
  }

  public func string(_ key: String, for context: HoistContext? = nil, default fallback: String) -> String {
    fallback.withBytes { text in
      read(key, context, .string, fallback, EvaluationFallback(.string, text)) { FlagValue.string($0) }
    }
  }

  /// - Returns: JSON text.
  public func json(_ key: String, for context: HoistContext? = nil, default fallback: String = "null") -> String {
    fallback.withBytes { text in
      read(key, context, .json, fallback, EvaluationFallback(.json, text)) { FlagValue.json($0) }
    }
  }

  /// Evaluates a flag whatever its type.
  public func evaluate(_ key: String, for context: HoistContext? = nil) -> HoistDetail {
    detail(key, context, [.counted, .detailed])
  }

  /// `evaluate` that records each step; counts and announces nothing.
  public func explain(_ key: String, for context: HoistContext? = nil) -> HoistDetail {
    detail(key, context, [.explained, .detailed])
  }

  /// Every known flag, evaluated, as a JSON object of key → detail; counts and announces nothing.
  public func allFlags(for context: HoistContext? = nil) -> String {
    String(decoding: withSubject(context) { client.allFlags($0) }, as: UTF8.self)
  }

  private func detail(_ key: String, _ context: HoistContext?, _ mode: EvaluationMode) -> HoistDetail {
    key.withBytes { bytes in
      withSubject(context) { client.evaluate(bytes, $0, .any, mode) { _, detail in HoistDetail(detail()) } }
    }
  }

  private func read<Value>(
    _ key: String, _ context: HoistContext?, _ want: WantedType, _ fallback: Value,
    _ own: EvaluationFallback, _ pick: (borrowing Evaluation) -> Value?
  ) -> Value {
    key.withBytes { bytes in
      withSubject(context) { subject in
        HotPath.evaluate(client.hot, bytes, subject, want, own) { pick($0) ?? fallback }
          ?? client.evaluate(bytes, subject, want, .counted, own) { evaluation, _ in pick(evaluation) ?? fallback }
      }
    }
  }

  private func withSubject<Result>(
    _ context: HoistContext?, _ body: (UnsafeMutablePointer<shim_subject>?) -> Result
  ) -> Result {
    guard let context else { return body(nil) }
    return context.withSubject { body($0) }
  }
}

/// What an evaluation holds, in Swift's types; nil for another type.
enum FlagValue {
  static func bool(_ evaluation: borrowing Evaluation) -> Bool? {
    evaluation.kind == .bool ? evaluation.integer != 0 : nil
  }
  static func int(_ evaluation: borrowing Evaluation) -> Int? {
    evaluation.kind == .int ? Int(exactly: evaluation.integer) : nil
  }
  static func double(_ evaluation: borrowing Evaluation) -> Double? { Slow.number(evaluation) }
  static func string(_ evaluation: borrowing Evaluation) -> String? {
    evaluation.kind == .string ? UTF8Text.repaired(evaluation.text) : nil
  }
  static func json(_ evaluation: borrowing Evaluation) -> String? {
    evaluation.kind == .none ? nil : String(decoding: evaluation.jsonValue(), as: UTF8.self)
  }
}
