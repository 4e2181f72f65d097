public import CShims
public import HoistBase

/// Supplies headers before each request. Called on a delivery lane; may be slow.
public protocol HeaderProvider: AnyObject, Sendable {
  /// - Parameter url: the request's address without its query.
  /// - Returns: nil when there are none this time.
  func headers(for url: String) -> [HTTPHeader]?
}

/// What a hook sees of an evaluation.
public struct HookCall {
  public let key: ByteView
  public let context: UnsafeMutablePointer<shim_subject>?
  public let want: WantedType
  public let fallback: EvaluationFallback
  /// The caller gets a detail.
  public let isDetailed: Bool
  /// The provider's own, for a vendor's call.
  public internal(set) var options: UInt32 = 0
  /// The hook's own, nil at first: what one stage puts there the later stages of this evaluation find.
  public internal(set) var state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
}

extension HookCall {
  /// A hold on the context of the call as it is now; nil where it names none, and when memory has run out.
  public var givenContext: ContextReference? {
    guard let context else { return nil }
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return FrozenContext(of: context).map { ContextReference(sharing: $0) }
  }
}

/// Runs around each evaluation, on the evaluating thread.
public protocol EvaluationHook: AnyObject, Sendable {
  /// Whether any of the stages does something; asked when the client opens.
  var isCalled: Bool { get }
  /// Whether `after` or `error` does: without one, no detail is made for hooks.
  var readsDetail: Bool { get }
  /// False makes the evaluation an error.
  func before(_ call: HookCall) -> Bool
  func after(_ call: HookCall, _ detail: EvaluationDetail)
  func error(_ call: HookCall, _ detail: EvaluationDetail)
  func finally(_ call: HookCall)
}

extension EvaluationHook {
  public var isCalled: Bool { true }
  public var readsDetail: Bool { true }
}

/// What the host supplies in place of built-in parts, or beside them.
public struct Plugins: Sendable {
  public var logSink: (any LogSink)?
  public var cacheManager: (any CacheManager)?
  public var transport: (any Transport)?
  public var eventSink: (any EventSink)?
  public var headerProvider: (any HeaderProvider)?
  public var hooks: [any EvaluationHook] = []
  /// Kinds that only one vendor knows, under names of the vendor's own.
  public var vendor: [String: any Sendable] = [:]

  public init() {}
}
