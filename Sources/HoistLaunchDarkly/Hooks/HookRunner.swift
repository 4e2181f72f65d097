internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import Synchronization

/// The hooks of one client (4.5). Any thread.
final class HookRunner: Sendable {
  private let hooks: [HookEntry]
  private let facts = LockedValue(Facts())
  /// A context of a call that lacks a key is the client's own.
  private let completesContexts: Bool

  private struct Facts: Sendable {
    /// The client's own.
    var context: CText?
    var environmentID: CText?
  }

  /// - Parameter hooks: in the order of their registration.
  init(_ hooks: [any LaunchDarklyHook], log: Log, completesContexts: Bool = true) {
    self.completesContexts = completesContexts
    self.hooks = hooks.prefix(LaunchDarklyPlugins.maximumHooks).map { HookEntry($0, log: log) }
  }

  var isEmpty: Bool { hooks.isEmpty }

  /// What the core runs around evaluations: "before" in order, "after" in reverse.
  var evaluationHooks: [any EvaluationHook] { hooks.map { EvaluationStages($0, self) } }

  /// - Parameter json: the context as flag requests carry it.
  func contextChanged(_ json: [UInt8]) {
    if !isEmpty { facts.withLock { $0.context = CText(json) } }
  }

  /// The header `X-LD-EnvID` of an answer.
  func environmentTold(_ id: String) {
    if !isEmpty { facts.withLock { $0.environmentID = CText(id) } }
  }

  fileprivate func series(_ call: HookCall) -> EvaluationSeries {
    let known = facts.withLock { $0 }
    return EvaluationSeries(
      flagKey: CText(call.key), context: call.context == nil ? known.context : context(call.givenContext, known),
      fallback: CText(call.fallback.json ?? Array("null".utf8)),
      method: VariationMethod.name(call.want, isDetailed: call.isDetailed, options: call.options),
      environmentID: known.environmentID)
  }

  /// - Parameter given: of a call; nil where it cannot be read.
  private func context(_ given: ContextReference?, _ known: Facts) -> CText? {
    guard let given, let context = try? LDContext.read(given) else { return nil }
    if context.needsKeys { return completesContexts ? known.context : nil }
    return CText(context.requestJSON)
  }

  /// Begins an identify, on the caller's thread; nil without hooks.
  func beginIdentify(_ json: [UInt8], timeoutMilliseconds: Int64) -> IdentifyStages? {
    isEmpty ? nil : IdentifyStages(hooks, IdentifySeries(context: CText(json), timeoutMilliseconds: timeoutMilliseconds))
  }

  /// - Parameters:
  ///   - data: JSON text; nil for none.
  ///   - given: the event's context; nil for the client's own.
  func tracked(_ key: ByteView, data: ByteView?, metric: Double?, of given: ContextReference? = nil) {
    guard !isEmpty else { return }
    let known = facts.withLock { $0 }
    let series = TrackSeries(
      key: CText(key), context: given == nil ? known.context : context(given, known), data: data.map { CText($0) },
      metric: metric,
      environmentID: known.environmentID)
    for entry in hooks { entry.note(entry.hook.afterTrack(series), .afterTrack) }
  }
}

/// One identify's way through its hooks.
final class IdentifyStages: Sendable {
  private let hooks: [HookEntry]
  private let series: IdentifySeries
  nonisolated(unsafe) private let data: [UnsafeMutableRawPointer?]
  private let hasEnded = Atomic(false)

  fileprivate init(_ hooks: [HookEntry], _ series: IdentifySeries) {
    self.hooks = hooks
    self.series = series
    data = hooks.map { entry in
      var own: UnsafeMutableRawPointer?
      let status = entry.hook.beforeIdentify(series, &own)
      entry.note(status, .beforeIdentify)
      return status == .ok ? own : nil
    }
  }

  /// On the delivery lane; the first result counts.
  func end(_ result: Status) {
    if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
    for (entry, own) in zip(hooks, data).reversed() {
      entry.note(entry.hook.afterIdentify(series, own, result), .afterIdentify)
    }
  }
}

/// A hook, and which of its failures were logged.
private final class HookEntry: Sendable {
  enum Stage: String, CaseIterable {
    case beforeEvaluation, afterEvaluation, beforeIdentify, afterIdentify, afterTrack
  }

  let hook: any LaunchDarklyHook
  private let log: Log
  /// A bit per stage.
  private let told = Atomic<UInt8>(0)

  init(_ hook: any LaunchDarklyHook, log: Log) {
    self.hook = hook
    self.log = log
  }

  /// Logs the first failure of each stage: a hook that always fails must not fill the log.
  func note(_ status: Status, _ stage: Stage) {
    guard status != .ok else { return }
    let bit = UInt8(1) << UInt8(Stage.allCases.firstIndex(of: stage) ?? 0)
    guard told.bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0 else { return }
    log.warning("hook \"\(hook.name)\": \(stage.rawValue) failed with status \(status.rawValue); it is told once")
  }
}

/// One hook's evaluation stages as the core calls them.
private final class EvaluationStages: EvaluationHook {
  private let entry: HookEntry
  private let runner: HookRunner

  init(_ entry: HookEntry, _ runner: HookRunner) {
    self.entry = entry
    self.runner = runner
  }

  func before(_ call: HookCall) -> Bool {
    var own: UnsafeMutableRawPointer?
    let status = entry.hook.beforeEvaluation(runner.series(call), &own)
    entry.note(status, .beforeEvaluation)
    call.state?.pointee = status == .ok ? own : nil
    return true
  }

  /// A hook sees what the caller gets, which without a value is the fallback.
  func after(_ call: HookCall, _ detail: EvaluationDetail) {
    let hasValue = detail.errorCode == .none && !detail.value.buffer.elementsEqual("null".utf8)
    let returned = hasValue ? nil : call.fallback.json.map { detail.returning($0) }
    entry.note(entry.hook.afterEvaluation(runner.series(call), call.state?.pointee, returned ?? detail), .afterEvaluation)
  }

  /// An error is a detail like any other.
  func error(_ call: HookCall, _ detail: EvaluationDetail) { after(call, detail) }
  func finally(_ call: HookCall) {}
}

/// The vendor's names of variation calls.
enum VariationMethod {
  static func name(_ want: WantedType, isDetailed: Bool, options: UInt32 = 0) -> StaticString {
    if options & VariationOptions.migration != 0 { return "migrationVariation" }
    return switch want {
    case .bool: isDetailed ? "boolVariationDetail" : "boolVariation"
    case .int: isDetailed ? "intVariationDetail" : "intVariation"
    case .double: isDetailed ? "doubleVariationDetail" : "doubleVariation"
    case .string: isDetailed ? "stringVariationDetail" : "stringVariation"
    case .json: isDetailed ? "jsonVariationDetail" : "jsonVariation"
    case .any: isDetailed ? "variationDetail" : "variation"
    }
  }
}
