public import HoistCore

/// Runs around evaluations and identifies, and after each tracked event (4.5, LD-81).
///
/// Evaluation stages run on the evaluating thread, `beforeIdentify` and `afterTrack` on the caller's, `afterIdentify` on the
/// delivery lane. What a stage answers but `.ok` is logged and changes nothing, save that the data of a failed "before"
/// stage is nothing.
public protocol LaunchDarklyHook: AnyObject, Sendable {
  /// For the log.
  var name: String { get }
  /// - Parameter data: the hook's own, for this series; nil at first.
  func beforeEvaluation(_ series: EvaluationSeries, _ data: inout UnsafeMutableRawPointer?) -> Status
  func afterEvaluation(_ series: EvaluationSeries, _ data: UnsafeMutableRawPointer?, _ detail: EvaluationDetail) -> Status
  func beforeIdentify(_ series: IdentifySeries, _ data: inout UnsafeMutableRawPointer?) -> Status
  func afterIdentify(_ series: IdentifySeries, _ data: UnsafeMutableRawPointer?, _ result: Status) -> Status
  func afterTrack(_ series: TrackSeries) -> Status
}

/// One evaluation, as its hooks see it.
public struct EvaluationSeries: Sendable {
  public let flagKey: CText
  /// JSON of the call's context, else of the client's, as flag requests carry it; nil where there is none.
  public let context: CText?
  /// JSON of what the caller falls back to.
  public let fallback: CText
  /// What was called, in the vendor's words, e.g. "boolVariationDetail".
  public let method: StaticString
  /// From the service; nil before it has sent it.
  public let environmentID: CText?
}

/// One identify, as its hooks see it.
public struct IdentifySeries: Sendable {
  /// JSON.
  public let context: CText
  /// Negative: none.
  public let timeoutMilliseconds: Int64
}

/// One tracked event, as hooks see it.
public struct TrackSeries: Sendable {
  public let key: CText
  public let context: CText?
  /// JSON; nil for none.
  public let data: CText?
  public let metric: Double?
  public let environmentID: CText?
}

/// The names of the arrays of hooks and plug-ins among a configuration's plug-ins.
public enum LaunchDarklyPlugins {
  public static let hooks = "launchdarkly.hooks"
  public static let plugins = "launchdarkly.plugins"
  /// Of one configuration, those of plug-ins included.
  public static let maximumHooks = 64
}
