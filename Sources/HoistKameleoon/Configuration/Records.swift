internal import HoistBase
internal import HoistCore

/// What a snapshot's root offset leads to. Offsets are from the snapshot's base; 0 stands for "none" everywhere.
struct KameleoonRoot: BitwiseCopyable {
  var dateModified: Int64 = 0
  /// Consent counts (protocols/kameleoon.md 3.8).
  var requiresConsent = false
  /// Who has refused gets no answer at all, where others would get an experiment.
  var blocksFully = false
  /// Departures from the vendor's own SDK are switched off (section 7).
  var isStrict = false
  /// `FlagRecord` offsets in the order of the configuration.
  var flags: UInt32 = 0
  var flagCount: UInt32 = 0
  /// `SegmentRecord`s in the order of the configuration.
  var segments: UInt32 = 0
  var segmentCount: UInt32 = 0
  /// `ExperimentEntry`s, by id.
  var experiments: UInt32 = 0
  var experimentCount: UInt32 = 0
  /// A `RuleRecord`.
  var holdout: UInt32 = 0
  /// `CustomDataRecord`s in the order of the configuration.
  var customData: UInt32 = 0
  var customDataCount: UInt32 = 0
}

/// A flag; begins with the core's `FlagHead`.
struct FlagRecord: BitwiseCopyable {
  var head: FlagHead
  var id: Int64 = 0
  var isEnabled = false
  /// Some condition asks what was assigned before.
  var asksAssignments = false
  /// Index of the custom data whose first value is hashed in place of the visitor; -1 for none.
  var bucketingIndex: Int64 = -1
  /// The row of "everyone else".
  var defaultRow: UInt32 = 0
  /// The `GroupRecord` of mutually exclusive flags.
  var group: UInt32 = 0
  /// `VariationRecord`s.
  var variations: UInt32 = 0
  var variationCount: UInt32 = 0
  /// `RuleRecord`s.
  var rules: UInt32 = 0
  var ruleCount: UInt32 = 0
  /// Of all that can change its decisions.
  var fingerprint: UInt64 = 0
}

/// A variation of a flag: what it is called, and its variables.
struct VariationRecord: BitwiseCopyable {
  var key: TextReference
  var name: TextReference
  /// `VariableRecord`s, of variables of one key the last, in the place of the first.
  var variables: UInt32 = 0
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
  var place: UInt32 = 0
  var kind: KameleoonValueKind = .null
  /// Integers, and booleans as 0 and 1.
  var integer: Int64 = 0
  var number: Double = 0
  /// A string's text.
  var text: TextReference = .none
  var json: TextReference = .none
  /// Where an earlier one has the same key, that one.
  var first: UInt32 = 0
}

struct GroupRecord: BitwiseCopyable {
  var name: TextReference
  /// `FlagRecord` offsets by the flags' ids.
  var members: UInt32 = 0
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
  /// A `SegmentRecord`; 0 admits everybody.
  var segment: UInt32 = 0
  /// `RowRecord`s.
  var rows: UInt32 = 0
  var rowCount: UInt32 = 0
  var flag: UInt32 = 0
}

/// A variation with its share of a rule's traffic: what a decision comes to. A handle on a decision is its address.
struct RowRecord: BitwiseCopyable {
  var key: TextReference
  /// Its own offset, so that a handle on it finds the snapshot.
  var place: UInt32 = 0
  /// The `VariationRecord`; 0 where the flag has none of that key.
  var variation: UInt32 = 0
  /// 0 for "everyone else".
  var rule: UInt32 = 0
  var flag: UInt32 = 0
  /// -1 for none.
  var variationID: Int64 = -1
  var experimentID: Int64 = -1
  var exposition = 0.0
  /// The key is not exactly `off`.
  var isActive = true
}

struct SegmentRecord: BitwiseCopyable {
  var id: Int64
  /// Visitors whom it means are told to the service (KAM-B12).
  var isTracked = false
  /// Some condition asks what was assigned before, or for another segment.
  var asksAssignments = false
  /// `Step`s; none admit everybody.
  var steps: UInt32 = 0
  var stepCount: UInt32 = 0
}

/// For look-ups of experiments by id; of several rules of one experiment the last of the configuration.
struct ExperimentEntry: BitwiseCopyable {
  var id: Int64
  /// A `RuleRecord`.
  var rule: UInt32
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
