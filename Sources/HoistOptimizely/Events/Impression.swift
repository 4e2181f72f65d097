internal import HoistBase
public import HoistCore
internal import HoistJSON

/// Impressions: which variation a visitor saw, and why.
public enum OptimizelyImpressions {
  /// The impressions of a decision: that of the holdout it passed by first, then its own; none when nothing is sent.
  @inline(__always)
  static func forEach(of decision: OptimizelyDecision, _ body: (Impression) -> Void) {
    if decision.sendsHoldoutImpression {
      let variation = decision.base.at(decision.verdict.holdoutVariation)
      body(
        Impression(
          rule: decision.base.at(variation.pointee.rule), variation: variation, flagKey: decision.flagKey,
          ruleType: DecisionSource.holdout.text.bytes, enabled: variation.pointee.isEnabled))
    }
    if decision.sendsImpression {
      body(
        Impression(
          rule: decision.rule, variation: decision.variation, flagKey: decision.flagKey,
          ruleType: decision.source.text.bytes, enabled: decision.enabled, predictionUUID: decision.predictionUUID))
    }
  }

  /// The events of a decision's impressions.
  /// - Parameter stamp: asked once for each.
  public static func events(
    of decision: OptimizelyDecision, context: FrozenContext?, client: EventClient, stamp: () -> EventStamp
  ) -> [UserEvent] {
    let writer = EventWriter(base: decision.base, context: context, client: client)
    var events: [UserEvent] = []
    forEach(of: decision) { events.append(writer.event($0, stamp())) }
    return events
  }

  /// The impression of `activate`; nil without a variation.
  static func of(activating decision: ExperimentDecision) -> Impression? {
    guard let variation = decision.variation else { return nil }
    return Impression(
      rule: decision.rule, variation: variation, flagKey: .noBytes, ruleType: ("experiment" as StaticString).bytes,
      enabled: true)
  }

  /// The impression of `isFeatureEnabled`, which sends none for a flag without a variation unless the project wants
  /// all (4.14).
  static func of(legacy decision: OptimizelyDecision) -> Impression? {
    let isExperiment = decision.source != .rollout && decision.variation != nil
    guard isExperiment || decision.root.pointee.sendsFlagDecisions else { return nil }
    return Impression(
      rule: decision.rule, variation: decision.variation, flagKey: decision.flagKey,
      ruleType: decision.source.text.bytes, enabled: decision.enabled)
  }
}

extension StaticString {
  /// Of a text of more than one character.
  fileprivate var bytes: ByteView { ByteView(start: utf8Start, count: utf8CodeUnitCount) }
}

/// A variation that a visitor saw, before it is written.
struct Impression {
  var rule: UnsafePointer<RuleRecord>?
  var variation: UnsafePointer<VariationRecord>?
  var flagKey: ByteView
  var ruleType: ByteView
  var enabled: Bool
  var predictionUUID: ByteView?
}

extension EventWriter {
  func event(_ impression: Impression, _ stamp: EventStamp) -> UserEvent {
    let campaign = impression.rule?.pointee.campaign.bytes(base) ?? .noBytes
    return event { writer in
      writer.verbatim(#""decisions":[{"#)
      writeDecision(impression, campaign, to: &writer)
      writer.verbatim(#"}],"events":[{"entity_id":"#)
      writer.text(campaign)
      writer.verbatim(#","key":"campaign_activated""#)
      stamp.write(to: &writer)
      writer.verbatim(#","tags":{}}]"#)
    }
  }

  private func writeDecision(_ impression: Impression, _ campaign: ByteView, to writer: inout JSONWriter) {
    let (rule, variation) = (impression.rule, impression.variation)
    writer.verbatim(#""campaign_id":"#)
    writer.text(campaign)
    writer.verbatim(#","experiment_id":"#)
    writer.text(rule?.pointee.id.bytes(base) ?? .noBytes)
    writer.verbatim(#","variation_id":"#)
    // Only ids of digits are variations to the service (OPT-96).
    if let variation, variation.pointee.hasNumericID { writer.text(variation.pointee.id.bytes(base)) } else { writer.null() }
    writer.verbatim(#","metadata":{"flag_key":"#)
    writer.text(impression.flagKey)
    writer.verbatim(#","rule_key":"#)
    writer.text(rule?.pointee.key.bytes(base) ?? .noBytes)
    writer.verbatim(#","rule_type":"#)
    writer.text(impression.ruleType)
    writer.verbatim(#","variation_key":"#)
    writer.text(variation?.pointee.key.bytes(base) ?? .noBytes)
    writer.verbatim(#","enabled":"#)
    writer.bool(impression.enabled)
    if let uuid = impression.predictionUUID {
      writer.verbatim(#","cmab_uuid":"#)
      writer.text(uuid)
    }
    writer.verbatim("}")
  }
}

extension EventStamp {
  func write(to writer: inout JSONWriter) {
    writer.verbatim(#","timestamp":"#)
    writer.int(unixMilliseconds)
    writer.verbatim(#","uuid":"#)
    writer.string(uuid)
  }
}
