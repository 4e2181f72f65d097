internal import HoistBase
internal import HoistCore

/// What a snapshot of campaigns says as a whole.
struct CampaignsRoot: BitwiseCopyable {
  /// Everything is switched off: there are no flags.
  var isPanic = false
  /// The service, or an earlier fetch, has decided already: one visitor's variations, which no history changes.
  var isDecided = false
  /// A flag's integer may be read as a double.
  var widensIntegers = false
  /// Offsets of `CampaignRecord`s in the order of the document.
  var campaigns: Place<Place<CampaignRecord>> = .none
  var campaignCount: UInt32 = 0
  /// Offsets of `CampaignFlagRecord`s by their ordinals.
  var flags: Place<Place<CampaignFlagRecord>> = .none
  var flagCount: UInt32 = 0
}

struct CampaignRecord: BitwiseCopyable {
  var id = TextReference.none
  var name = TextReference.none
  var type = TextReference.none
  var slug = TextReference.none
  /// `GroupRecord`s.
  var groups: Place<GroupRecord> = .none
  var groupCount: UInt32 = 0
}

/// A variation group: its targeting and its allocation.
struct GroupRecord: BitwiseCopyable {
  var id = TextReference.none
  var name = TextReference.none
  var idHash: UInt64 = 0
  /// After the group's id; the visitor's follows (4.1).
  var bucketing = Murmur3State()
  var campaign: Place<CampaignRecord> = .none
  /// `TargetingGroupRecord`s, of which one has to match; none, where the service has decided: every visitor matches.
  var targetingGroups: Place<TargetingGroupRecord> = .none
  var targetingGroupCount: UInt32 = 0
  /// `VariationRecord`s.
  var variations: Place<VariationRecord> = .none
  var variationCount: UInt32 = 0
}

/// `TargetingRecord`s that have to hold together.
struct TargetingGroupRecord: BitwiseCopyable {
  var targetings: Place<TargetingRecord> = .none
  var targetingCount: UInt32 = 0
}

/// Where a targeting looks.
enum TargetingSource: UInt8, BitwiseCopyable {
  case attribute
  /// The visitor's id, whatever the context holds.
  case visitor
  /// Nowhere: it always holds.
  case everybody
}

struct TargetingRecord: BitwiseCopyable {
  var key = TextReference.none
  var keyHash: UInt64 = 0
  var test = TargetingTest.never
  var source = TargetingSource.attribute
  /// Of the key; nil for one of the host's own.
  var predefined: PredefinedKey?
  /// What the SDK itself says of the key in every context; `.none` for nothing.
  var automatic: Place<TargetRecord> = .none
  /// The operator as it was sent.
  var name = TextReference.none
  var isList = false
  /// `TargetRecord`s: one, or those of the list.
  var targets: Place<TargetRecord> = .none
  var targetCount: UInt32 = 0
  /// The texts of a long list; then `targets` holds the other values.
  var texts = NameTable()
  /// The value as JSON, for explanations.
  var json = TextReference.none
}

/// A value that visitors' are compared with; begins with its text for the look-up table.
struct TargetRecord: BitwiseCopyable {
  var text = TextReference.none
  var value = Comparand.Plain()
}

struct VariationRecord: BitwiseCopyable {
  var id = TextReference.none
  /// The group's, for exposures: they need not go there.
  var groupID = TextReference.none
  var name = TextReference.none
  var idHash: UInt64 = 0
  var group: Place<GroupRecord> = .none
  /// Buckets below, and not below the variations before, are its.
  var end: UInt32 = 0
  var isReference = false
  /// `ValueRecord`s.
  var values: Place<ValueRecord> = .none
  var valueCount: UInt32 = 0
}

/// What kind of value a flag has (4.5). An integer is a JSON number without fraction and exponent, of 64 bits.
public enum FlagKind: UInt8, BitwiseCopyable, Sendable {
  case null, bool, int, double, string, array, object
}

/// One flag's value in one variation.
struct ValueRecord: BitwiseCopyable {
  /// The flag's ordinal.
  var flag: UInt32 = 0
  var variation: Place<VariationRecord> = .none
  var kind = FlagKind.null
  /// A string's bytes; empty for all else.
  var text = TextReference.none
  /// Compact JSON.
  var json = TextReference.none
  /// Integers, and booleans as 0 and 1.
  var integer: Int64 = 0
  var number: Double = 0
}

struct CampaignFlagRecord: BitwiseCopyable {
  var head: FlagHead
  /// Its place in `VisitorFlags`.
  var ordinal: UInt32 = 0
  /// Offsets of the `CampaignRecord`s that may give it a value, the last of the document first: later ones win (4.2).
  var candidates: Place<Place<CampaignRecord>> = .none
  var candidateCount: UInt32 = 0
  /// Of its candidates: another one when any of them is another, or they come in another order.
  var fingerprint: UInt64 = 0
}

extension Snapshot {
  /// Of a snapshot of campaigns.
  var campaignsRoot: UnsafePointer<CampaignsRoot> { root() }

  @inline(__always)
  func campaignFlag(_ key: ByteView, hash: UInt64) -> UnsafePointer<CampaignFlagRecord>? {
    find(key, hash: hash)?.assumingMemoryBound(to: CampaignFlagRecord.self)
  }
}
