public import CShims
public import HoistBase
public import HoistCore
internal import HoistJSON

/// What only Unleash clients can do, in Unleash's words. A view of a client; thread-safe.
public struct UnleashFace: Sendable {
  private let client: Client
  private let provider: UnleashProvider

  /// nil for a client of another service.
  public init?(_ client: Client) {
    guard let provider = client.provider as? UnleashProvider else { return nil }
    self.client = client
    self.provider = provider
  }

  /// UNL-24, UNL-25: `completion` runs on the delivery lane.
  public func start(bootstrap: [UInt8]?, completion: @escaping @Sendable (Status) -> Void) -> Status {
    onScheduler { $0.restart(bootstrap: bootstrap) { completion($0.status) } }
  }

  /// The variant for a context; counted, announced and hooked as `mode` says (UNL-29, UNL-104).
  /// - Parameter subject: nil for the client's own context.
  public func variant(_ name: ByteView, _ subject: UnsafeMutablePointer<shim_subject>?, _ mode: EvaluationMode) -> OwnedVariant {
    client.evaluate(name, subject, .any, mode) { evaluation, _ in
      guard let base = evaluation.base, let record = evaluation.record else { return OwnedVariant.disabled }
      return OwnedVariant(UnleashVariant(evaluation, snapshot: Snapshot(base), record: record))
    }
  }

  /// UNL-70: ends timers, ignores what is in flight, removes this client's observers; what was counted is sent once more.
  public func stop() -> Status {
    guard !client.isClosed else { return .state }
    client.removeObservers()
    let provider = provider
    client.onScheduler { _ in provider.retire() }
    return .ok
  }

  /// UNL-41, UNL-42.
  public func updateContext(
    _ context: [String: String], properties: [String: String], completion: @escaping @Sendable (Status) -> Void
  ) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    provider.changeContext(context, properties)
    return onScheduler { $0.contextHasChanged { completion($0.status) } }
  }

  /// UNL-87: several changes one after another cause one fetch. Refused for what is not the context's to say.
  public func setContextField(_ name: String, _ value: String?) -> Status {
    guard !client.isClosed else { return .state }
    guard provider.frontend == nil || !FrontendContext.isOption(name) else { return .argument }
    client.resumeAfterFork()
    provider.setContextField(name, value)
    return .ok
  }

  /// UNL-73: properties first, then the fixed fields over them.
  public var flattenedContext: [String: String] { provider.flattenedContext }

  /// One fetch now; `completion` runs on the scheduler's thread.
  public func fetch(completion: @escaping @Sendable (Status) -> Void) -> Status {
    onScheduler { $0.source.fetch { completion($0.status) } }
  }

  private func onScheduler(_ work: @escaping @Sendable (UnleashProvider) -> Void) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    let provider = provider
    client.onScheduler { _ in work(provider) }
    return .ok
  }

  public func flattenedContextJSON() -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in flattenedContext.sorted(by: { $0.key < $1.key }) {
        writer.member(name, value)
      }
    }
    return writer.bytes
  }

  /// The members of a context that is to be the current one; what has no form at the service is warned of.
  public func members(of context: EvaluationContext) -> [String: String] {
    guard let frozen = context.reference()?.frozen else { return [:] }
    provider.warnOfFormless(frozen)
    return FrontendContext.members(of: frozen)
  }

  /// UNL-54: events by the vendor's names.
  public static func topic(ofEvent name: String) -> Topic? {
    switch name {
    case "ready": .unleashReady
    case "update": .unleashUpdate
    case "sent": .eventsSent
    case "error": .sendFailed
    case "fetch_error": .fetchFailed
    case "impression": .impression
    case "initialized": .initialized
    case "recovered": .recovered
    default: nil
    }
  }

  /// UNL-85.
  public var isReady: Bool { provider.events.isReady }
  public var lastFailure: Status { provider.events.lastFailure }

  /// UNL-88.
  public func define(_ name: String, help: String, _ kind: ImpactMetricKind) -> Status {
    provider.metrics.impact.define(name, help: help, kind.kind) ? .ok : .limit
  }

  public func increment(_ name: String, by value: Int64, _ labels: [String: String]) -> Status {
    provider.metrics.impact.increment(name, by: value, labels) ? .ok : .notFound
  }

  public func setGauge(_ name: String, to value: Double, _ labels: [String: String]) -> Status {
    provider.metrics.impact.set(name, to: value, labels) ? .ok : .notFound
  }

  public func observe(_ name: String, _ value: Double, _ labels: [String: String]) -> Status {
    provider.metrics.impact.observe(name, value, labels) ? .ok : .notFound
  }

  /// UNL-105.
  public func listing() -> [UInt8] {
    provider.withSnapshot { $0.map { UnleashFlags.list($0) } ?? Array("[]".utf8) }
  }

  /// The count of an unknown toggle that a fallback of the host's has answered (UNL-100).
  public func countFallback(_ name: String, enabled: Bool) { provider.metrics.recorder.countFallback(name, enabled: enabled) }
}

/// Kinds of impact metrics.
public enum ImpactMetricKind: Sendable {
  case counter, gauge
  /// Upper bounds of the buckets; empty for the default ones.
  case histogram([Double])

  var kind: ImpactMetrics.Kind {
    switch self {
    case .counter: .counter
    case .gauge: .gauge
    case .histogram(let bounds): .histogram(bounds: bounds.isEmpty ? ImpactMetrics.defaultBounds : bounds)
    }
  }
}
