internal import CShims
public import HoistBase
public import HoistCore

/// Flags of a visitor (KAM-21 to KAM-36; protocols/kameleoon.md 3.9). Any thread; nothing waits.
///
/// Statuses: `.kameleoonSDKNotReady`, `.kameleoonFeatureNotFound`, `.kameleoonFeatureEnvironmentDisabled`,
/// `.kameleoonFeatureEvaluationBlocked`, `.limit` for rules that cost too much, and what single calls name.
extension KameleoonVisitor {
  /// KAM-21, KAM-22: a flag that is switched off in the environment is not active, and no failure.
  /// - Parameter isTracked: whether the variation is reported.
  public func isFeatureActive(_ key: ByteView, isTracked: Bool = true) -> (isActive: Bool, status: Status) {
    let (isActive, status) = decide(key, isTracked: isTracked) { choice, base in choice.row(in: base).pointee.isActive }
    if status == .kameleoonFeatureEnvironmentDisabled || status == .kameleoonFeatureEvaluationBlocked { return (false, .ok) }
    return (isActive ?? false, status)
  }

  /// KAM-23 to KAM-25
  /// - Returns: a variation for the caller to release; nil with another status than `.ok`.
  public func variation(_ key: ByteView, isTracked: Bool = true) -> (variation: KameleoonVariation?, status: Status) {
    decide(key, isTracked: isTracked) { choice, base in
      let variation = KameleoonVariation(choice.row, in: base)
      variation.retain()
      return variation
    }
  }

  /// KAM-35: the value of one variable, of the variation that the visitor gets, which is reported.
  /// - Returns: a variable for the caller to release; `.kameleoonFeatureVariableNotFound`.
  public func variable(_ name: ByteView, of key: ByteView) -> (variable: KameleoonVariable?, status: Status) {
    let (found, status) = decide(key, isTracked: true) { choice, base -> KameleoonVariable? in
      let variable = KameleoonVariation(choice.row, in: base).firstVariable(name)
      variable?.retain()
      return variable
    }
    guard let variable = found ?? nil else { return (nil, status == .ok ? .kameleoonFeatureVariableNotFound : status) }
    return (variable, .ok)
  }

  /// Decides, stores the assignment and makes the visitor due for tracking.
  /// - Parameter body: in the reading section; with a choice that is no refusal.
  @inline(__always)
  private func decide<Result>(
    _ key: ByteView, isTracked: Bool, _ body: (Choice, UnsafeRawPointer) -> Result
  ) -> (Result?, Status) {
    let answer = withClient { client, registry -> (Result?, Status) in
      var effects = DecisionEffects()
      let now = registry.now
      let answer = reading(client, now) { snapshot, facts -> (Result?, Status) in
        guard let record = snapshot.find(key) else { return (nil, .kameleoonFeatureNotFound) }
        var evaluator = KameleoonEvaluator(snapshot, facts, now: now, recorder: NoSteps())
        let choice = evaluator.decide(record.assumingMemoryBound(to: KameleoonFlagRecord.self))
        effects.take(choice, facts.content, snapshot, isTracked: isTracked, now: now)
        if choice.refusal == .tooCostly { client.noteExcess(ofFlag: key) }
        return choice.refusal == .none ? (body(choice, snapshot.base), .ok) : (nil, choice.refusal.status)
      }
      guard let answer else { return (nil, .kameleoonSDKNotReady) }
      effects.apply(to: self, registry)
      return answer
    }
    return answer ?? (nil, .kameleoonSDKNotReady)
  }

  /// Runs `body` in a reading section, with the configuration and what is known of the visitor.
  /// - Returns: nil when there is no configuration, or the client has closed.
  @inline(__always)
  func reading<Result>(_ client: Client, _ now: Int64, _ body: (Snapshot, VisitorFacts) -> Result) -> Result? {
    if isClosed(client) { return nil }
    let section = shim_enter()
    defer { shim_leave(section) }
    guard let base = shim_load_pointer(&client.hot.pointee.snapshot), let facts = facts(now: now) else { return nil }
    return facts._withUnsafeGuaranteedRef { body(Snapshot(UnsafeRawPointer(base)), $0) }
  }
}
