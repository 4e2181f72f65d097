import HoistBase
import HoistCore
import HoistJSON
import HoistRegex
import HoistUnleash

/// A compiled configuration for a test; frees itself.
final class Rules {
  let snapshot: Snapshot
  let warnings: [UnleashWarning]

  init(_ compilation: UnleashCompilation) {
    snapshot = compilation.snapshot
    warnings = compilation.warnings
  }

  /// - Parameter json: a client-features document.
  convenience init(document json: String, _ options: UnleashOptions = Rules.options()) throws {
    self.init(try UnleashFeatures.compile(json, options))
  }

  /// - Parameters:
  ///   - features: JSON objects with commas between them.
  ///   - segments: the same.
  convenience init(_ features: String, segments: String = "", _ options: UnleashOptions = Rules.options()) throws {
    try self.init(document: #"{"version":2,"features":[\#(features)],"segments":[\#(segments)]}"#, options)
  }

  /// - Parameter json: an answer of the frontend endpoint.
  convenience init(toggles json: String, context: ContextFingerprint? = nil, _ options: UnleashOptions = Rules.options()) throws {
    self.init(try UnleashToggles.compile(json, context: context, options))
  }

  deinit { snapshot.destroy() }

  static func options() -> UnleashOptions {
    var options = UnleashOptions()
    options.regexEngine = regexEngine
    options.hostName = "host.example"
    return options
  }

  private static let regexEngine = PCRE2RegexEngine()

  func record(_ name: String) -> UnsafeRawPointer? { name.withBytes { snapshot.find($0) } }

  /// What an evaluation says, copied out of the snapshot.
  struct Answer: Equatable {
    var enabled = false
    var reason = Reason.unknown
    var errorCode = ErrorCode.none
    var kind = ValueKind.none
    var variation: String?
    var variationIndex: Int32 = -1
    var text = ""
    var integer: Int64 = 0
    var number = 0.0
    /// Indices among the flag's counters.
    var cells: [UInt32] = []
    var impression = false
  }

  func evaluate(
    _ name: String, _ context: EvaluationContext? = nil, inherited: EvaluationContext? = nil,
    want: WantedType = .any, ambient: Ambient? = nil
  ) -> Answer? {
    withEvaluation(name, context, inherited: inherited, want: want, ambient: ambient) { evaluation, record in
      let head = record.assumingMemoryBound(to: FlagHead.self).pointee
      var answer = Answer(enabled: evaluation.enabled, reason: evaluation.reason, errorCode: evaluation.errorCode)
      answer.kind = evaluation.kind
      answer.variation = evaluation.variation.baseAddress == nil ? nil : text(evaluation.variation)
      answer.variationIndex = evaluation.variationIndex
      answer.text = text(evaluation.text)
      answer.integer = evaluation.integer
      answer.number = evaluation.number
      answer.cells = [evaluation.firstCell, evaluation.secondCell].filter { $0 != .max }.map { $0 - head.firstCell }
      answer.impression = evaluation.effects.contains(.impression)
      return answer
    }
  }

  func isOn(_ name: String, _ context: EvaluationContext? = nil, ambient: Ambient? = nil) -> Bool {
    let short = evaluate(name, context, want: .bool, ambient: ambient)?.enabled ?? false
    return short
  }

  /// Name of the variant, "disabled" for none.
  func variant(_ name: String, _ context: EvaluationContext? = nil) -> String {
    evaluate(name, context)?.variation ?? "(unknown)"
  }

  func withEvaluation<Result>(
    _ name: String, _ context: EvaluationContext?, inherited: EvaluationContext? = nil, want: WantedType = .any,
    ambient: Ambient? = nil, _ body: (borrowing Evaluation, UnsafeRawPointer) -> Result
  ) -> Result? {
    guard let record = record(name) else { return nil }
    return withExtendedLifetime((context, inherited)) {
      var evaluation = Evaluation(want: want)
      evaluation.inherited = inherited?.freeze()
      func run() {
        snapshot.head.pointee.evaluate(snapshot.base, record, context?.freeze() ?? evaluation.inherited, &evaluation)
      }
      if var ambient {
        withUnsafePointer(to: &ambient) {
          evaluation.ambient = $0
          run()
        }
      } else {
        run()
      }
      return body(evaluation, record)
    }
  }

  func explain(_ name: String, _ context: EvaluationContext? = nil) -> String {
    guard let record = record(name) else { return "(unknown)" }
    return withExtendedLifetime(context) {
      var evaluation = Evaluation(want: .any)
      let frozen = context?.freeze().map { FrozenContext($0) }
      return String(
        decoding: UnleashFlags.explain(&evaluation, snapshot: snapshot, record: record, context: frozen),
        as: UTF8.self)
    }
  }
}

func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }

/// A context with text attributes.
func context(_ attributes: KeyValuePairs<String, String>, key: String? = nil) -> EvaluationContext {
  EvaluationContext(
    targetingKey: key.map { Array($0.utf8) },
    attributes: attributes.map { Attribute(name: Array($0.key.utf8), value: .string(Array($0.value.utf8))) })
}

func user(_ id: String) -> EvaluationContext { context(["userId": id]) }

/// A context with one attribute of any type.
func context(_ name: String, _ value: AttributeValue) -> EvaluationContext {
  EvaluationContext(attributes: [Attribute(name: Array(name.utf8), value: value)])
}

/// A flag that is on; `members` are written as JSON.
func flag(_ name: String, _ members: String = "") -> String {
  #"{"name":"\#(name)","enabled":true\#(members.isEmpty ? "" : ",")\#(members)}"#
}

/// A flag with one strategy.
func flag(_ name: String, strategy: String, _ parameters: String = "{}") -> String {
  flag(name, #""strategies":[{"name":"\#(strategy)","parameters":\#(parameters)}]"#)
}

/// A flag whose only strategy is guarded by one constraint.
func flag(_ name: String, constraint: String) -> String {
  flag(name, #""strategies":[{"name":"default","constraints":[\#(constraint)]}]"#)
}
