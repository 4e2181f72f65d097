internal import HoistBase
internal import HoistCore

/// How a group came to its variation.
enum GroupVerdict: Equatable {
  /// The targeting does not match.
  case notTargeted
  /// No variation's share has the visitor's bucket.
  case untracked
  case allocated
  /// Assigned by an earlier fetch.
  case remembered
  /// Assigned by an earlier fetch, and not there any more: the campaign gives nothing.
  case deleted
  /// The service decided.
  case decided

  /// As explanations have it.
  var name: String {
    switch self {
    case .notTargeted: "notTargeted"
    case .untracked: "untracked"
    case .allocated: "allocated"
    case .remembered: "remembered"
    case .deleted: "deleted"
    case .decided: "decided"
    }
  }
}

/// What is told of an evaluation while it runs.
protocol CampaignRecorder {
  /// Whether every targeting is to be asked, also once the outcome is settled.
  static var asksEverything: Bool { get }
  mutating func begin(campaign: UnsafePointer<CampaignRecord>)
  mutating func endCampaign(variation: UnsafePointer<VariationRecord>?)
  mutating func begin(group: UnsafePointer<GroupRecord>)
  mutating func endGroup(_ verdict: GroupVerdict, bucket: UInt32?, variation: UnsafePointer<VariationRecord>?)
  mutating func beginTargetings()
  mutating func endTargetings(_ match: Bool)
  /// - Parameter actual: what the visitor has; nil for nothing.
  mutating func targeting(_ targeting: UnsafePointer<TargetingRecord>, actual: Comparand?, holds: Bool)
}

/// Records nothing; compiles to nothing.
struct Silence: CampaignRecorder {
  static var asksEverything: Bool { @inline(__always) get { false } }
  @inline(__always) func begin(campaign: UnsafePointer<CampaignRecord>) {}
  @inline(__always) func endCampaign(variation: UnsafePointer<VariationRecord>?) {}
  @inline(__always) func begin(group: UnsafePointer<GroupRecord>) {}
  @inline(__always)
  func endGroup(_ verdict: GroupVerdict, bucket: UInt32?, variation: UnsafePointer<VariationRecord>?) {}
  @inline(__always) func beginTargetings() {}
  @inline(__always) func endTargetings(_ match: Bool) {}
  @inline(__always)
  func targeting(_ targeting: UnsafePointer<TargetingRecord>, actual: Comparand?, holds: Bool) {}
}
