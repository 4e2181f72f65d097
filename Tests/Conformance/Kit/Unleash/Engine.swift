import HoistBase
import HoistCore
import HoistJSON
import HoistRegex
import HoistUnleash

/// A compiled configuration of definitions, asked as the vendor's engine is asked.
final class Engine {
  private var snapshot: Snapshot
  private let strategies: [String: FixedStrategy]
  let hasWarnings: Bool

  /// What a flag evaluates to; the fields of the vectors.
  struct Answer {
    var found = false
    var enabled = false
    var impressionData = false
    var variantName = "disabled"
    var variantEnabled = false
    var payload: (type: String, value: String)?
  }

  /// - Parameter strategies: names of the host's strategies.
  init(_ document: [UInt8], strategies names: [String] = []) throws {
    strategies = Dictionary(uniqueKeysWithValues: names.map { ($0, FixedStrategy()) })
    let compilation = try UnleashFeatures.compile(document, Engine.options(strategies))
    (snapshot, hasWarnings) = (compilation.snapshot, !compilation.warnings.isEmpty)
  }

  init(_ state: UnleashFeatureState) throws {
    strategies = [:]
    let compilation = try state.compile(Engine.options([:]))
    (snapshot, hasWarnings) = (compilation.snapshot, !compilation.warnings.isEmpty)
  }

  deinit { snapshot.destroy() }

  private static let regexEngine = PCRE2RegexEngine()

  private static func options(_ strategies: [String: FixedStrategy]) -> UnleashOptions {
    var options = UnleashOptions()
    options.regexEngine = regexEngine
    for (name, strategy) in strategies { options.strategies[Array(name.utf8)] = strategy }
    return options
  }

  func setAnswer(of strategy: String, _ answer: Bool) { strategies[strategy]?.answer = answer }

  var flagNames: [String] {
    (0..<snapshot.flagCount).map { String(decoding: snapshot.name(of: snapshot.record(at: $0)), as: UTF8.self) }
  }

  func answer(_ toggle: String, _ context: EvaluationContext) -> Answer {
    guard let record = toggle.withBytes({ snapshot.find($0) }) else { return Answer() }
    return withExtendedLifetime(context) {
      var evaluation = Evaluation(want: .any)
      snapshot.head.pointee.evaluate(snapshot.base, record, context.freeze(), &evaluation)
      let variant = UnleashVariant(evaluation, snapshot: snapshot, record: record)
      return Answer(
        found: true, enabled: evaluation.enabled, impressionData: evaluation.effects.contains(.impression),
        variantName: text(variant.name), variantEnabled: variant.enabled,
        payload: variant.payloadType.map { (text($0), variant.payloadValue.map { text($0) } ?? "") })
    }
  }

  /// On or off, asked by itself: a quicker path than `answer` takes.
  func isEnabled(_ toggle: String, _ context: EvaluationContext) -> Bool {
    guard let record = toggle.withBytes({ snapshot.find($0) }) else { return false }
    return withExtendedLifetime(context) {
      var evaluation = Evaluation(want: .bool)
      snapshot.head.pointee.evaluate(snapshot.base, record, context.freeze(), &evaluation)
      return evaluation.kind == .bool && evaluation.integer != 0
    }
  }
}

/// A host's strategy that answers what a vector says.
final class FixedStrategy: UnleashStrategy, @unchecked Sendable {
  var answer = false
  func isEnabled(_ call: UnleashStrategyCall) -> Bool { answer }
}

func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }

/// The context of a vector.
func context(_ value: JSONValue?) throws -> EvaluationContext {
  guard let value else { return EvaluationContext() }
  return try UnleashContextReader.read(value.source)
}
