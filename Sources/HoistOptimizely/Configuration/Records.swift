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
  /// Offsets of the `FlagRecord`s in the order of the datafile.
  var flags: UInt32 = 0
  var flagCount: UInt32 = 0
  /// `RuleRecord`s by key, without delivery rules and holdouts.
  var experiments = NameTable()
  var events = NameTable()
  var attributes = NameTable()
  var audiences = NameTable()
  /// Offsets of the global holdouts' `RuleRecord`s.
  var holdouts: UInt32 = 0
  var holdoutCount: UInt32 = 0
  /// Names of segments that conditions ask for, as `TextReference`s.
  var segments: UInt32 = 0
  var segmentCount: UInt32 = 0
  var segmentsHost: TextReference = .none
  var segmentsKey: TextReference = .none
  /// `$opt_bucketing_id`
  var bucketingName: TextReference = .none
  var bucketingNameHash: UInt64 = 0
}

/// A flag; begins with the core's `FlagHead`.
struct FlagRecord: BitwiseCopyable {
  var head: FlagHead
  var keyHash: UInt64 = 0
  var id: TextReference = .none
  /// Offsets of `RuleRecord`s.
  var experiments: UInt32 = 0
  var experimentCount: UInt32 = 0
  var deliveries: UInt32 = 0
  var deliveryCount: UInt32 = 0
  var rollout: RolloutState = .none
  /// `FlagVariation`s of all rules in their order.
  var variations: UInt32 = 0
  var variationCount: UInt32 = 0
  /// `VariableRecord`s.
  var variables: UInt32 = 0
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
  var values: UInt32 = 0
  /// How many are not valid.
  var invalidCount: UInt32 = 0
}

/// A variation as one flag sees it.
struct FlagVariation: BitwiseCopyable {
  var variation: UInt32
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
  /// A `Program`; 0 admits everybody.
  var audience: UInt32 = 0
  var variations: UInt32 = 0
  var variationCount: UInt32 = 0
  /// `AllocationRow`s.
  var rows: UInt32 = 0
  var rowCount: UInt32 = 0
  /// `WhitelistEntry`s.
  var whitelist: UInt32 = 0
  var whitelistCount: UInt32 = 0
  /// The `GroupRecord` of mutually exclusive experiments.
  var group: UInt32 = 0
  /// Offsets of local holdouts' `RuleRecord`s.
  var holdouts: UInt32 = 0
  var holdoutCount: UInt32 = 0
  /// End of the range of those whom a server decides for; -1 for ordinary rules.
  var predictionRange: Int32 = -1
  /// `AttributeRecord` offsets that the server is told of.
  var predictionAttributes: UInt32 = 0
  var predictionAttributeCount: UInt32 = 0
}

struct VariationRecord: BitwiseCopyable {
  var key: TextReference
  var id: TextReference
  var isEnabled = false
  /// Only such ids go out in impressions.
  var hasNumericID = false
  /// The `RuleRecord` it belongs to.
  var rule: UInt32 = 0
}

/// Buckets below `end`, and not below the rows before.
struct AllocationRow: BitwiseCopyable {
  var end: UInt32
  /// The `VariationRecord`; 0 for a gap. Groups: 0.
  var variation: UInt32 = 0
  var entity: TextReference
}

struct WhitelistEntry: BitwiseCopyable {
  var userHash: UInt64
  var user: TextReference
  /// 0 when the rule has no variation of that key.
  var variation: UInt32
  var variationKey: TextReference
}

struct GroupRecord: BitwiseCopyable {
  var id: TextReference
  var rows: UInt32
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
  var program = Program()
}
