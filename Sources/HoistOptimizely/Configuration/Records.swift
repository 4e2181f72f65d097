internal import HoistBase
internal import HoistCore

/// What a snapshot's root offset leads to. Offsets are from the snapshot's base; 0 stands for "none" everywhere.
struct SnapshotRoot: BitwiseCopyable {
  var projectID: TextReference = .none
  var accountID: TextReference = .none
  var revision: TextReference = .none
  var anonymizesAddresses = false
  /// -1 when the datafile says nothing.
  var botFiltering: Int8 = -1
  var sendsFlagDecisions = false
  var region: OptimizelyRegion = .us
  /// Offsets of the `OptimizelyFlagRecord`s in the order of the datafile.
  var flags: Place<Place<OptimizelyFlagRecord>> = .none
  var flagCount: UInt32 = 0
  /// `RuleRecord`s by key, without delivery rules and holdouts.
  var experiments = NameTable()
  var events = NameTable()
  var attributes = NameTable()
  var audiences = NameTable()
  /// Offsets of the global holdouts' `RuleRecord`s.
  var holdouts: Place<Place<RuleRecord>> = .none
  var holdoutCount: UInt32 = 0
  /// Names of segments that conditions ask for, as `TextReference`s.
  var segments: Place<TextReference> = .none
  var segmentCount: UInt32 = 0
  var segmentsHost: TextReference = .none
  var segmentsKey: TextReference = .none
  /// `$opt_bucketing_id`
  var bucketingName: TextReference = .none
  var bucketingNameHash: UInt64 = 0
}

/// A flag; begins with the core's `FlagHead`.
struct OptimizelyFlagRecord: BitwiseCopyable {
  var head: FlagHead
  var keyHash: UInt64 = 0
  var id: TextReference = .none
  /// Offsets of `RuleRecord`s.
  var experiments: Place<Place<RuleRecord>> = .none
  var experimentCount: UInt32 = 0
  var deliveries: Place<Place<RuleRecord>> = .none
  var deliveryCount: UInt32 = 0
  var rollout: RolloutState = .none
  /// `FlagVariation`s of all rules in their order.
  var variations: Place<FlagVariation> = .none
  var variationCount: UInt32 = 0
  /// `VariableRecord`s.
  var variables: Place<VariableRecord> = .none
  var variableCount: UInt32 = 0
  var defaults = VariableSet()
  /// Of all that can change its decisions.
  var fingerprint: UInt64 = 0
}

enum RolloutState: UInt8, BitwiseCopyable {
  case none, unknown, empty, rules
}

enum VariableType: UInt8, BitwiseCopyable {
  case string, integer, double, boolean, json
}

struct VariableRecord: BitwiseCopyable {
  var key: TextReference
  var id: TextReference
  var type: VariableType
}

/// A variable's value for one variation, converted.
struct VariableValue: BitwiseCopyable {
  /// As the datafile has it; JSON text made compact.
  var text: TextReference
  var integer: Int64 = 0
  var number: Double = 0
  var isValid = true
}

/// The values of all variables of a flag, in the order of its `VariableRecord`s.
struct VariableSet: BitwiseCopyable {
  /// A JSON object of those that are valid.
  var json: TextReference = .none
  var values: Place<VariableValue> = .none
  /// How many are not valid.
  var invalidCount: UInt32 = 0
}

/// A variation as one flag sees it.
struct FlagVariation: BitwiseCopyable {
  var variation: Place<VariationRecord>
  /// An earlier one of the flag has the same id: forced decisions do not see this one.
  var isShadowed = false
  /// Where the variation has no values of its own, or is off: the flag's defaults.
  var values: VariableSet
}

enum RuleKind: UInt8, BitwiseCopyable {
  case experiment, delivery, holdout
}

/// An experiment, a delivery rule or a holdout; begins with its key for the look-up table.
struct RuleRecord: BitwiseCopyable {
  var key: TextReference
  var id: TextReference
  var keyHash: UInt64 = 0
  var idHash: UInt64 = 0
  /// What impressions call the campaign.
  var campaign: TextReference = .none
  var kind: RuleKind
  var isRunning = false
  var isTargetedDelivery = false
  var excludesTargetedDeliveries = false
  /// Some flag has it among its experiments.
  var belongsToFlag = false
  /// A `Program`; 0 admits every user.
  var audience: Place<Program> = .none
  var variations: Place<VariationRecord> = .none
  var variationCount: UInt32 = 0
  /// `AllocationRow`s.
  var rows: Place<AllocationRow> = .none
  var rowCount: UInt32 = 0
  /// `WhitelistEntry`s.
  var whitelist: Place<WhitelistEntry> = .none
  var whitelistCount: UInt32 = 0
  /// The `GroupRecord` of mutually exclusive experiments.
  var group: Place<GroupRecord> = .none
  /// Offsets of local holdouts' `RuleRecord`s.
  var holdouts: Place<Place<RuleRecord>> = .none
  var holdoutCount: UInt32 = 0
  /// End of the bucket range that the prediction server decides; -1 for ordinary rules.
  var predictionRange: Int32 = -1
  /// Offsets of the `AttributeRecord`s that are sent to the server.
  var predictionAttributes: Place<Place<AttributeRecord>> = .none
  var predictionAttributeCount: UInt32 = 0
}

struct VariationRecord: BitwiseCopyable {
  var key: TextReference
  var id: TextReference
  var isEnabled = false
  /// Only such ids go out in impressions.
  var hasNumericID = false
  /// The `RuleRecord` it belongs to.
  var rule: Place<RuleRecord> = .none
}

/// Buckets below `end`, and not below the rows before.
struct AllocationRow: BitwiseCopyable {
  var end: UInt32
  /// The `VariationRecord`; 0 for a gap. Groups: 0.
  var variation: Place<VariationRecord> = .none
  var entity: TextReference
}

struct WhitelistEntry: BitwiseCopyable {
  var userHash: UInt64
  var user: TextReference
  /// 0 when the rule has no variation of that key.
  var variation: Place<VariationRecord>
  var variationKey: TextReference
}

struct GroupRecord: BitwiseCopyable {
  var id: TextReference
  var rows: Place<AllocationRow>
  var rowCount: UInt32
}

/// Begins with its key for the look-up table.
struct EventRecord: BitwiseCopyable {
  var key: TextReference
  var id: TextReference
}

/// Begins with its key for the look-up table.
struct AttributeRecord: BitwiseCopyable {
  var key: TextReference
  var id: TextReference
  var keyHash: UInt64
}

/// Begins with its id for the look-up table.
struct AudienceRecord: BitwiseCopyable {
  var id: TextReference
  var name: TextReference
  /// Its place among the audiences.
  var ordinal: UInt32
  var program = Program()
}
