internal import HoistBase
internal import HoistCore

/// What a snapshot's root offset leads to. Offsets are from the snapshot's base; 0 stands for "none" everywhere.
struct KameleoonRoot: BitwiseCopyable {
  var dateModified: Int64 = 0
  /// Consent counts (protocols/kameleoon.md 3.8).
  var requiresConsent = false
  /// Visitors that have refused get no result, where others would get an experiment.
  var blocksFully = false
  /// Departures from the vendor's own SDK are switched off (section 7).
  var isStrict = false
  /// `KameleoonFlagRecord` offsets in the order of the configuration.
  var flags: Place<Place<KameleoonFlagRecord>> = .none
  var flagCount: UInt32 = 0
  /// `SegmentRecord`s in the order of the configuration.
  var segments: Place<SegmentRecord> = .none
  var segmentCount: UInt32 = 0
  /// `ExperimentEntry`s, by id.
  var experiments: Place<ExperimentEntry> = .none
  var experimentCount: UInt32 = 0
  /// A `RuleRecord`.
  var holdout: Place<RuleRecord> = .none
  /// `CustomDataRecord`s in the order of the configuration.
  var customData: Place<CustomDataRecord> = .none
  var customDataCount: UInt32 = 0
}

/// A flag; begins with the core's `FlagHead`.
struct KameleoonFlagRecord: BitwiseCopyable {
  var head: FlagHead
  var id: Int64 = 0
  var isEnabled = false
  /// Some condition depends on earlier assignments.
  var asksAssignments = false
  /// Index of the custom data whose first value is hashed in place of the visitor; -1 for none.
  var bucketingIndex: Int64 = -1
  /// The row of "everyone else".
  var defaultRow: Place<RowRecord> = .none
  /// The `GroupRecord` of mutually exclusive flags.
  var group: Place<GroupRecord> = .none
  /// `VariationRecord`s.
  var variations: Place<VariationRecord> = .none
  var variationCount: UInt32 = 0
  /// `RuleRecord`s.
  var rules: Place<RuleRecord> = .none
  var ruleCount: UInt32 = 0
  /// Of all that can change its decisions.
  var fingerprint: UInt64 = 0
}

/// A variation of a flag: what it is called, and its variables.
struct VariationRecord: BitwiseCopyable {
  var key: TextReference
  var name: TextReference
  /// `VariableRecord`s, of variables of one key the last, in the place of the first.
  var variables: Place<VariableRecord> = .none
  var variableCount: UInt32 = 0
  /// A JSON object of their values.
  var json: TextReference = .none
}

/// A variable's value for one variation.
struct VariableRecord: BitwiseCopyable {
  var key: TextReference
  /// In the configuration's words.
  var type: TextReference
  /// Its own offset, so that a handle on it finds the snapshot.
  var place: Place<VariableRecord> = .none
  var kind: KameleoonValueKind = .null
  /// Integers, and booleans as 0 and 1.
  var integer: Int64 = 0
  var number: Double = 0
  /// A string's text.
  var text: TextReference = .none
  var json: TextReference = .none
  /// Where an earlier one has the same key, that one.
  var first: Place<VariableRecord> = .none
}

struct GroupRecord: BitwiseCopyable {
  var name: TextReference
  /// `KameleoonFlagRecord` offsets by the flags' ids.
  var members: Place<Place<KameleoonFlagRecord>> = .none
  var memberCount: UInt32 = 0
}

/// A rule of a flag, or the holdout.
struct RuleRecord: BitwiseCopyable {
  var id: Int64 = 0
  var experimentID: Int64 = 0
  /// The id in decimal.
  var name: TextReference = .none
  var type = RuleType.unknown
  var exposition = 0.0
  /// What is hashed behind the visitor for the rule's exposition, and for its variation: the id and the respool time.
  var ruleSuffix: TextReference = .none
  var experimentSuffix: TextReference = .none
  /// A `SegmentRecord`; 0 admits every visitor.
  var segment: Place<SegmentRecord> = .none
  /// `RowRecord`s.
  var rows: Place<RowRecord> = .none
  var rowCount: UInt32 = 0
  var flag: Place<KameleoonFlagRecord> = .none
}

/// A variation with its share of a rule's traffic: the result of a decision. A handle on a decision is its address.
struct RowRecord: BitwiseCopyable {
  var key: TextReference
  /// Its own offset, so that a handle on it finds the snapshot.
  var place: Place<RowRecord> = .none
  /// The `VariationRecord`; 0 where the flag has none of that key.
  var variation: Place<VariationRecord> = .none
  /// 0 for "everyone else".
  var rule: Place<RuleRecord> = .none
  var flag: Place<KameleoonFlagRecord> = .none
  /// -1 for none.
  var variationID: Int64 = -1
  var experimentID: Int64 = -1
  var exposition = 0.0
  /// The key is not exactly `off`.
  var isActive = true
}

struct SegmentRecord: BitwiseCopyable {
  var id: Int64
  /// Matching visitors are reported to the service (KAM-B12).
  var isTracked = false
  /// Some condition asks what was assigned before, or for another segment.
  var asksAssignments = false
  /// `Step`s; none admit every visitor.
  var steps: Place<Step> = .none
  var stepCount: UInt32 = 0
}

/// For look-ups of experiments by id; of several rules of one experiment the last of the configuration.
struct ExperimentEntry: BitwiseCopyable {
  var id: Int64
  /// A `RuleRecord`.
  var rule: Place<RuleRecord>
}

/// An entry of `customData` that has an index.
struct CustomDataRecord: BitwiseCopyable {
  /// Empty for none.
  var name: TextReference
  var nameHash: UInt64
  var id: Int64
  var index: Int64
  var isVisitorScoped: Bool
  var isLocalOnly: Bool
  var isMappingIdentifier: Bool
}

/// What a variable's value is; the numbers of `hoist/kameleoon/flags.h`.
public enum KameleoonValueKind: Int32, BitwiseCopyable, Sendable {
  case null = 0
  case bool, int, double, string, json
}
