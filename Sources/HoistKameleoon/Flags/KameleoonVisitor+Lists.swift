internal import CShims
public import HoistBase
internal import HoistCore

/// All flags of a visitor.
extension KameleoonVisitor {
  /// KAM-26, KAM-27: flags that are switched off in the environment are left out.
  /// - Returns: nil when not ready.
  public func variations(onlyActive: Bool = false, isTracked: Bool = true) -> VariationList? {
    decideAll(onlyActive: onlyActive, isTracked: isTracked, saves: true)
  }

  /// KAM-33, KAM-34: of flags that are active; nothing is stored and nothing reported.
  public var activeVariations: VariationList? { decideAll(onlyActive: true, isTracked: false, saves: false) }

  private func decideAll(onlyActive: Bool, isTracked: Bool, saves: Bool) -> VariationList? {
    withClient { client, registry -> VariationList? in
      guard let snapshot = client.pinnedConfiguration else { return nil }
      defer { snapshot.unpin() }
      let base = snapshot.base
      let flags = snapshot.kameleoonFlags
      let now = registry.now
      var entries: [(flag: Place<KameleoonFlagRecord>, row: Place<RowRecord>)] = []
      entries.reserveCapacity(flags.count)
      var effects = DecisionEffects()
      var next = 0
      while next < flags.count {
        let isOpen: Void? = reading(client, now) { _, facts in
          repeat {
            let flag = base.at(flags[next])
            // Its conditions may depend on the decision of an earlier flag.
            if flag.pointee.asksAssignments, !effects.assignments.isEmpty { return }
            next &+= 1
            var evaluator = KameleoonEvaluator(snapshot, facts, now: now, saves: saves, recorder: NoSteps())
            let choice = evaluator.decide(flag)
            if choice.refusal == .tooCostly { client.noteExcess(ofFlag: flag.pointee.head.name.bytes(base)) }
            if saves { effects.take(choice, facts.content, snapshot, isTracked: isTracked, now: now) }
            if choice.refusal == .none, !onlyActive || choice.row(in: base).pointee.isActive {
              entries.append((flags[next &- 1], choice.row))
            }
          } while next < flags.count
        }
        if isOpen == nil { return nil }
        effects.keep(for: self, registry)
      }
      effects.apply(to: self, registry)
      return VariationList(snapshot, entries)
    } ?? nil
  }

  /// The explanation of a visitor's flag, as JSON (see `ExplanationRecorder`); nothing is stored and nothing reported.
  /// nil when not ready, or for an unknown flag.
  public func explanation(_ key: ByteView) -> [UInt8]? {
    withClient { client, registry -> [UInt8]? in
      reading(client, registry.now) { snapshot, facts -> [UInt8]? in
        guard let record = snapshot.find(key) else { return nil }
        var evaluator = KameleoonEvaluator(
          snapshot, facts, now: registry.now, saves: false, recorder: ExplanationRecorder(snapshot.base))
        _ = evaluator.decide(record.assumingMemoryBound(to: KameleoonFlagRecord.self))
        return evaluator.recorder.finish()
      } ?? nil
    } ?? nil
  }
}
