internal import HoistBase
internal import HoistCore

/// One snapshot and one context, held for many reads, e.g. of one request: consistent, and the cheapest way to
/// evaluate. Thread-safe. Hold it for a request, not forever: it keeps its flags in memory.
public final class HoistView: Sendable {
  private let view: FlagView

  init(_ client: Client, _ context: ContextReference?) { view = FlagView(client, context) }

  public func bool(_ key: String, default fallback: Bool) -> Bool {
    read(key, .bool, EvaluationFallback(fallback)) { FlagValue.bool($0) } ?? fallback
  }
  public func int(_ key: String, default fallback: Int) -> Int {
    read(key, .int, EvaluationFallback(Int64(fallback))) { FlagValue.int($0) } ?? fallback
  }
  public func double(_ key: String, default fallback: Double) -> Double {
    read(key, .double, EvaluationFallback(fallback)) { FlagValue.double($0) } ?? fallback
  }
  public func string(_ key: String, default fallback: String) -> String {
    fallback.withBytes { text in read(key, .string, EvaluationFallback(.string, text)) { FlagValue.string($0) } } ?? fallback
  }
  /// - Returns: JSON text.
  public func json(_ key: String, default fallback: String = "null") -> String {
    fallback.withBytes { text in read(key, .json, EvaluationFallback(.json, text)) { FlagValue.json($0) } } ?? fallback
  }
  /// The name of the variation; nil when there is none.
  public func variation(_ key: String) -> String? {
    read(key, .any, EvaluationFallback()) { $0.variation.isEmpty ? nil : UTF8Text.repaired($0.variation) }
  }

  private func read<Value>(
    _ key: String, _ want: WantedType, _ fallback: EvaluationFallback, _ pick: (borrowing Evaluation) -> Value?
  ) -> Value? {
    key.withBytes { bytes in view.evaluate(bytes, want, fallback) { pick($0) } ?? nil }
  }
}

extension HoistClient {
  /// Pins the flags and a context as they are now; nil means the client's current context.
  public func view(for context: HoistContext? = nil) -> HoistView { HoistView(client, context?.reference) }
}
