internal import HoistBase
internal import HoistCore

/// Decides campaigns of a snapshot for one visitor: a pure reader of raw memory (section 4).
///
/// Generic over what watches: `NoSteps` leaves nothing behind in the machine code. Explanations run
/// these very functions.
struct CampaignEvaluator<Recorder: StepRecorder<ExplanationRecorder>> {
  let base: UnsafeRawPointer
  let context: FrozenContext?
  let visitor: ByteView
  let visitorHash: UInt64
  /// Nil where there is none, or none that counts.
  let history: AssignmentHistory?
  /// The context is one of a call, and lacks what the SDK says in visitors' contexts.
  let isOfCall: Bool
  var budget: StepBudget
  var recorder: Recorder

  /// - Parameter history: holds against the hash (4.4).
  init(
    base: UnsafeRawPointer, context: FrozenContext?, visitor: ByteView, history: AssignmentHistory?, isOfCall: Bool = false,
    budget: StepBudget = StepBudget(), recorder: Recorder
  ) {
    self.base = base
    self.context = context
    self.visitor = visitor
    visitorHash = Hash64.hash(visitor)
    let isDecided = Snapshot(base).campaignsRoot.pointee.isDecided
    self.history = isDecided || history?.isEmpty ?? true ? nil : history
    self.isOfCall = isOfCall
    self.budget = budget
    self.recorder = recorder
  }
}

/// A variation, and why; without one the campaign gives nothing.
struct CampaignChoice: BitwiseCopyable {
  var variation: Place<VariationRecord> = .none
  /// No earlier fetch assigned it.
  var isNew = false
}

extension CampaignEvaluator {
  /// The first group that matches and has a variation for the visitor (4.2).
  @inline(__always)
  mutating func decide(_ campaign: UnsafePointer<CampaignRecord>) -> CampaignChoice {
    recorder.note { $0.begin(campaign: campaign) }
    let groups = base.at(campaign.pointee.groups)
    var index = 0
    while index < Int(campaign.pointee.groupCount), budget.spend(StepBudget.condition, reading: visitor.count) {
      let group = groups + index
      recorder.note { $0.begin(group: group) }
      let (verdict, variation, bucket) = decide(group)
      recorder.note { $0.endGroup(verdict, bucket: bucket, variation: variation) }
      if verdict == .deleted { break }
      if let variation {
        recorder.note { $0.endCampaign(variation: variation) }
        return CampaignChoice(
          variation: Place(offset: UInt32(truncatingIfNeeded: UnsafeRawPointer(variation) - base)), isNew: verdict != .remembered)
      }
      index &+= 1
    }
    recorder.note { $0.endCampaign(variation: nil) }
    return CampaignChoice()
  }

  @inline(__always)
  private mutating func decide(
    _ group: UnsafePointer<GroupRecord>
  ) -> (GroupVerdict, UnsafePointer<VariationRecord>?, bucket: UInt32?) {
    let variations = base.at(group.pointee.variations)
    let count = Int(group.pointee.variationCount)
    if Snapshot(base).campaignsRoot.pointee.isDecided {
      return (.decided, count > 0 ? variations : nil, nil)
    }
    guard matches(group), budget.spend(count &>> 2) else { return (.notTargeted, nil, nil) }
    if let history, let (id, hash) = history.find(group.pointee.id.bytes(base), hash: group.pointee.idHash) {
      let found = (0..<count).first { index in
        variations[index].idHash == hash && variations[index].id.bytes(base).hasSameBytes(as: id)
      }
      let bucket = Recorder.isWatching ? self.bucket(group) : nil
      return found.map { (.remembered, variations + $0, bucket) } ?? (.deleted, nil, bucket)
    }
    let bucket = self.bucket(group)
    var index = 0
    while index < count {
      if bucket < variations[index].end { return (.allocated, variations + index, bucket) }
      index &+= 1
    }
    return (.untracked, nil, bucket)
  }

  /// The visitor's share of the group (4.1); 0 to 99.
  @inline(__always)
  private func bucket(_ group: UnsafePointer<GroupRecord>) -> UInt32 {
    group.pointee.bucketing.finish(appending: visitor) % 100
  }
}
