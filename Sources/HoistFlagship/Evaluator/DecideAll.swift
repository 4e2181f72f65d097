public import HoistBase
public import HoistCore

extension VisitorFlags {
  /// Decides all campaigns for one visitor (4.2). Pure: no lock, no I/O.
  /// - Parameters:
  ///   - snapshot: only inside a reading section, or while it is pinned. The flags keep it alive.
  ///   - context: for targeting; nil for an empty one.
  ///   - visitor: the visitor's id.
  /// - Returns: the flags, and the history with the assignments that are new; nil when that costs more than an evaluation may.
  public static func decide(
    _ snapshot: Snapshot, context: FrozenContext?, visitor: ByteView, history: AssignmentHistory
  ) -> (flags: VisitorFlags, history: AssignmentHistory)? {
    decide(OwnedCampaigns(pinning: snapshot), context, visitor, history)
  }

  /// The same on unshared campaigns: a Decision API answer, or a stored one.
  /// - Parameter owned: belongs to the flags from now on.
  public static func decide(
    owning owned: Snapshot, context: FrozenContext?, visitor: ByteView, history: AssignmentHistory
  ) -> (flags: VisitorFlags, history: AssignmentHistory)? {
    decide(OwnedCampaigns(owning: owned), context, visitor, history)
  }

  private static func decide(
    _ campaigns: OwnedCampaigns, _ context: FrozenContext?, _ visitor: ByteView, _ history: AssignmentHistory
  ) -> (flags: VisitorFlags, history: AssignmentHistory)? {
    if campaigns.snapshot.campaignsRoot.pointee.isPanic { return (.panic, history) }
    var assigned: [AssignmentHistory.Assignment] = []
    var isTooCostly = false
    let flags = VisitorFlags(campaigns) { values, order in
      var walk = CampaignWalk(
        evaluator: CampaignEvaluator(
          base: campaigns.snapshot.base, context: context, visitor: visitor, history: history,
          budget: StepBudget(forParts: campaigns.snapshot.campaignsRoot.pointee.campaignCount), recorder: NoSteps()),
        values: values, order: order)
      defer { isTooCostly = walk.evaluator.budget.isExceeded }
      return walk.run { assigned.append($0) }
    }
    if isTooCostly { return nil }
    let isDecided = campaigns.snapshot.campaignsRoot.pointee.isDecided
    let new = isDecided ? assigned.filter { history.variation(of: $0.group) == nil } : assigned
    return withExtendedLifetime(campaigns) { (flags, history.adding(new)) }
  }
}

/// One walk over the campaigns of a snapshot, in their order: later ones overwrite.
private struct CampaignWalk {
  var evaluator: CampaignEvaluator<NoSteps<ExplanationRecorder>>
  let values: UnsafeMutablePointer<UInt32>
  let order: UnsafeMutablePointer<UInt32>

  /// - Parameter assign: called with the assignments that the history does not have.
  /// - Returns: how many flags have a value.
  @inline(__always)
  mutating func run(_ assign: (AssignmentHistory.Assignment) -> Void) -> Int {
    let base = evaluator.base
    let root = Snapshot(base).campaignsRoot
    let campaigns = base.at(root.pointee.campaigns)
    var count = 0
    var index = 0
    while index < Int(root.pointee.campaignCount) {
      let choice = evaluator.decide(base.at(campaigns[index]))
      if evaluator.budget.isExceeded { break }
      index &+= 1
      if choice.variation.isNone { continue }
      let variation = base.at(choice.variation)
      if choice.isNew {
        assign(.init(group: variation.pointee.groupID.bytes(base), variation: variation.pointee.id.bytes(base)))
      }
      let records = base.at(variation.pointee.values)
      var place: UInt32 = 0
      while place < variation.pointee.valueCount {
        let flag = Int(records[Int(place)].flag)
        if values[flag] == 0 {
          order[count] = records[Int(place)].flag
          count &+= 1
        }
        values[flag] = variation.pointee.values.at(Int(place)).offset
        place &+= 1
      }
    }
    return count
  }
}
