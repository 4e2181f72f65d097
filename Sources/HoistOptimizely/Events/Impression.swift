internal import HoistBase
public import HoistCore
internal import HoistJSON

/// Impressions: which variation a visitor saw, and why.
public enum OptimizelyImpressions {
  /// The impressions of a decision: that of the holdout it passed by first, then its own; none when nothing is sent.
  static func of(_ decision: OptimizelyDecision) -> [Impression] {
    var impressions: [Impression] = []
    if decision.sendsHoldoutImpression {
      let variation: UnsafePointer<VariationRecord> = decision.base.at(decision.verdict.holdoutVariation)
      impressions.append(
        Impression(
          rule: decision.base.at(variation.pointee.rule), variation: variation, flagKey: decision.flagKey,
          ruleType: DecisionSource.holdout.text, enabled: variation.pointee.isEnabled))
    }
    if decision.sendsImpression {
      impressions.append(
        Impression(
          rule: decision.rule, variation: decision.variation, flagKey: decision.flagKey, ruleType: decision.source.text,
          enabled: decision.enabled, predictionUUID: decision.predictionUUID))
    }
    return impressions
  }

  /// The events of a decision's impressions.
  /// - Parameter stamp: asked once for each.
  public static func events(
    of decision: OptimizelyDecision, context: FrozenContext?, client: EventClient, stamp: () -> EventStamp
  ) -> [UserEvent] {
    let writer = EventWriter(base: decision.base, context: context, client: client)
    return of(decision).map { writer.event($0, stamp()) }
  }

  /// The impression of `activate`; nil without a variation.
  static func of(activating decision: ExperimentDecision) -> Impression? {
    guard let variation = decision.variation else { return nil }
    return Impression(
      rule: decision.rule, variation: variation, flagKey: .noBytes, ruleType: "experiment", enabled: true)
  }

  /// The impression of `isFeatureEnabled`, which sends none for a flag without a variation unless the project wants
  /// all (4.14).
  static func of(legacy decision: OptimizelyDecision) -> Impression? {
    let isExperiment = decision.source != .rollout && decision.variation != nil
    guard isExperiment || decision.root.pointee.sendsFlagDecisions else { return nil }
    return Impression(
      rule: decision.rule, variation: decision.variation, flagKey: decision.flagKey, ruleType: decision.source.text,
      enabled: decision.enabled)
  }
}

/// A variation that a visitor saw, before it is written.
struct Impression {
  var rule: UnsafePointer<RuleRecord>?
  var variation: UnsafePointer<VariationRecord>?
  var flagKey: ByteView
  var ruleType: StaticString
  var enabled: Bool
  var predictionUUID: ByteView?
}

extension EventWriter {
  func event(_ impression: Impression, _ stamp: EventStamp) -> UserEvent {
    let campaign = impression.rule?.pointee.campaign.bytes(base) ?? .noBytes
    return event { writer in
      writer.key("decisions")
      writer.array { $0.object { writeDecision(impression, campaign, to: &$0) } }
      writer.key("events")
      writer.array { writer in
        writer.object { writer in
          writer.member("entity_id", campaign)
          writer.key("key")
          writer.string("campaign_activated")
          stamp.write(to: &writer)
          writer.key("tags")
          writer.object { _ in }
        }
      }
    }
  }

  private func writeDecision(_ impression: Impression, _ campaign: ByteView, to writer: inout JSONWriter) {
    writer.member("campaign_id", campaign)
    writer.member("experiment_id", impression.rule?.pointee.id.bytes(base) ?? .noBytes)
    // Only ids of digits are variations to the service (OPT-96).
    let variation = impression.variation
    writer.member("variation_id", variation?.pointee.hasNumericID ?? false ? variation?.pointee.id.bytes(base) : nil)
    writer.key("metadata")
    writer.object { writer in
      writer.member("flag_key", impression.flagKey)
      writer.member("rule_key", impression.rule?.pointee.key.bytes(base) ?? .noBytes)
      writer.key("rule_type")
      writer.string(impression.ruleType.description)
      writer.member("variation_key", variation?.pointee.key.bytes(base) ?? .noBytes)
      writer.key("enabled")
      writer.bool(impression.enabled)
      if let uuid = impression.predictionUUID { writer.member("cmab_uuid", uuid) }
    }
  }
}

extension EventStamp {
  func write(to writer: inout JSONWriter) {
    writer.key("timestamp")
    writer.int(unixMilliseconds)
    writer.key("uuid")
    writer.string(uuid)
  }
}
