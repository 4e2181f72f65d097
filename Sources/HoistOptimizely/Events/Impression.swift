internal import HoistBase
public import HoistCore
internal import HoistJSON

/// Impressions: which variation a visitor saw, and why.
public enum OptimizelyImpressions {
  /// The impressions of a decision: that of the holdout it passed by first, then its own; none when nothing is sent.
  /// - Parameter stamp: asked once for each.
  public static func events(
    of decision: OptimizelyDecision, context: FrozenContext?, client: EventClient, stamp: () -> EventStamp
  ) -> [UserEvent] {
    let writer = EventWriter(base: decision.base, context: context, client: client)
    var events: [UserEvent] = []
    if decision.sendsHoldoutImpression {
      let variation: UnsafePointer<VariationRecord> = decision.base.at(decision.verdict.holdoutVariation)
      let impression = Impression(
        rule: decision.base.at(variation.pointee.rule), variation: variation, flagKey: decision.flagKey,
        ruleType: DecisionSource.holdout.text, enabled: variation.pointee.isEnabled)
      events.append(writer.event(impression, stamp()))
    }
    if decision.sendsImpression {
      let impression = Impression(
        rule: decision.rule, variation: decision.variation, flagKey: decision.flagKey, ruleType: decision.source.text,
        enabled: decision.enabled, predictionUUID: decision.predictionUUID)
      events.append(writer.event(impression, stamp()))
    }
    return events
  }

  /// The impression of `activate`; nil without a variation.
  public static func event(
    activating decision: ExperimentDecision, context: FrozenContext?, client: EventClient, stamp: EventStamp
  ) -> UserEvent? {
    guard let variation = decision.variation else { return nil }
    let impression = Impression(
      rule: decision.rule, variation: variation, flagKey: .noBytes, ruleType: "experiment", enabled: true)
    return EventWriter(base: decision.base, context: context, client: client).event(impression, stamp)
  }

  /// The impression of `isFeatureEnabled`, which sends none for a flag without a variation unless the project wants
  /// all (4.14).
  public static func legacyEvent(
    of decision: OptimizelyDecision, context: FrozenContext?, client: EventClient, stamp: () -> EventStamp
  ) -> UserEvent? {
    let isExperiment = decision.source != .rollout && decision.variation != nil
    guard isExperiment || decision.root.pointee.sendsFlagDecisions else { return nil }
    let impression = Impression(
      rule: decision.rule, variation: decision.variation, flagKey: decision.flagKey, ruleType: decision.source.text,
      enabled: decision.enabled)
    return EventWriter(base: decision.base, context: context, client: client).event(impression, stamp())
  }
}

private struct Impression {
  var rule: UnsafePointer<RuleRecord>?
  var variation: UnsafePointer<VariationRecord>?
  var flagKey: ByteView
  var ruleType: StaticString
  var enabled: Bool
  var predictionUUID: ByteView?
}

extension EventWriter {
  fileprivate func event(_ impression: Impression, _ stamp: EventStamp) -> UserEvent {
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
