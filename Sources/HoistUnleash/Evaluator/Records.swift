internal import HoistBase
internal import HoistCore

/// A flag as the snapshot holds it, in both modes; begins with the core's `FlagHead`.
///
/// Offsets are from the snapshot's base; 0 stands for "none" everywhere.
struct UnleashFlagRecord: BitwiseCopyable {
  var head: FlagHead
  /// Of everything that decides the flag's value: equal for equal definitions.
  var fingerprint: UInt64 = 0
  var traits: FlagTraits = []
  /// The reason of a flag that is off or on for every context.
  var constantReason: Reason = .static
  /// Frontend mode: the variant's `feature_enabled` as it was sent, -1 when it was not.
  var sentFeatureEnabled: Int8 = -1
  var strategyCount: UInt32 = 0
  /// `StrategyRecord`s in the order of the document.
  var strategies: Place<StrategyRecord> = .none
  /// A `DependencyList`.
  var dependencies: Place<DependencyList> = .none
  /// All variants: the flag's own, then those of its strategies. `variationIndex` counts them.
  var variants: Place<VariantRecord> = .none
  var variantCount: UInt32 = 0
  /// The flag's own `VariantSet`.
  var variantSet: Place<VariantSet> = .none
  /// A `FlagDetails`.
  var details: Place<FlagDetails> = .none
}

struct FlagTraits: OptionSet, BitwiseCopyable {
  let rawValue: UInt8
  /// The switch of the flag.
  static var enabled: FlagTraits { FlagTraits(rawValue: 1) }
  static var impression: FlagTraits { FlagTraits(rawValue: 2) }
  /// On for every context.
  static var alwaysOn: FlagTraits { FlagTraits(rawValue: 4) }
  /// Off for every context.
  static var alwaysOff: FlagTraits { FlagTraits(rawValue: 8) }
  /// A rule could not be compiled; the flag is off.
  static var broken: FlagTraits { FlagTraits(rawValue: 16) }
  static var stale: FlagTraits { FlagTraits(rawValue: 32) }
  static var counted: FlagTraits { FlagTraits(rawValue: 64) }
  /// Others depend on it.
  static var parent: FlagTraits { FlagTraits(rawValue: 128) }
}

/// What is only listed.
struct FlagDetails: BitwiseCopyable {
  var type: TextReference = .none
  var project: TextReference = .none
  var description: TextReference = .none
  /// Why the flag could not be compiled.
  var warning: TextReference = .none
}

/// What a snapshot's root offset leads to.
struct SnapshotRoot: BitwiseCopyable {
  /// "disabled"
  var disabledName: TextReference
  /// Frontend mode: the context the values are for, unless they are for any.
  var context: ContextFingerprint?
  /// `FieldRecord`s.
  var userID: Place<FieldRecord> = .none
  var sessionID: Place<FieldRecord> = .none
  /// Fields with a static value, as `FieldRecord`s one after the other.
  var staticFields: Place<FieldRecord> = .none
  var staticFieldCount: UInt32 = 0
  var isFrontend = false
}

/// Which special rules a context field has.
enum FieldRole: UInt8, BitwiseCopyable {
  case property, userID, currentTime
}

/// A context field that rules of the snapshot refer to; one per name.
struct FieldRecord: BitwiseCopyable {
  var nameHash: UInt64
  var name: TextReference
  /// The value when no context has one: the client's own appName or environment.
  var staticValue: TextReference = .none
  var staticHash: UInt64 = 0
  var role: FieldRole = .property
}

enum StrategyKind: UInt8, BitwiseCopyable {
  /// Holds whenever its conditions do.
  case always
  case never
  case users
  case rollout
  /// A draw from 1 to 99 below the percentage.
  case draw
  case addresses
  case custom
}

struct StrategyRecord: BitwiseCopyable {
  var kind: StrategyKind
  /// Without a groupId of its own: a parent seen through a child then hashes with the child's name.
  var borrowsGroup = false
  var reason: Reason = .targetingMatch
  var stickiness: Stickiness = .byDefault
  /// 0 to 100; for `draw` up to `UInt32.max`.
  var percentage: UInt32 = 0
  /// After "groupId:".
  var group = Murmur3State()
  /// The `FieldRecord` of the stickiness, when it is a field.
  var field: Place<FieldRecord> = .none
  var conditionCount: UInt32 = 0
  var conditions: Place<ConditionRecord> = .none
  var segmentCount: UInt32 = 0
  /// `SegmentRange`s.
  var segments: Place<SegmentRange> = .none
  /// `users`: a `ValueList`. `addresses`: `CIDR`s. `custom`: name and value `TextReference`s by turns.
  var operand: UInt32 = 0
  var operandCount: UInt32 = 0
  /// Index of a custom strategy in the snapshot's resources.
  var custom: UInt32 = 0
  var variantSet: Place<VariantSet> = .none
  var name: TextReference = .none
  var groupName: TextReference = .none

  var users: Place<ValueList> { Place(offset: operand) }
  var addresses: Place<CIDR> { Place(offset: operand) }
  var parameters: Place<TextReference> { Place(offset: operand) }
}

enum Stickiness: UInt8, BitwiseCopyable {
  /// userId, else sessionId, else a draw.
  case byDefault
  case random
  case field
}

/// The conditions of a segment, shared by all strategies that refer to it.
struct SegmentRange: BitwiseCopyable {
  var conditions: Place<ConditionRecord>
  var count: UInt32
  /// Its place among the segments.
  var ordinal: UInt32
  var id: Int32
}

/// What a condition does with a value that is there.
enum ConditionTest: UInt8, BitwiseCopyable {
  case never
  /// False, but may be inverted.
  case mismatch
  /// True when the field has a value.
  case present
  case isIn
  case startsWith, endsWith, contains
  case number, date, version
  case regex
  case address
}

struct ConditionRecord: BitwiseCopyable {
  var test: ConditionTest
  var relation: Relation = .equal
  var inverted = false
  var foldsCase = false
  var constraintOperator: ConstraintOperator
  /// Written `inverted`; NOT_IN is compiled as an inverted IN.
  var saysInverted = false
  var field: Place<FieldRecord>
  /// Lists: `TextReference`s. Else the value's text by offset and length.
  var operand: UInt32 = 0
  var operandCount: UInt32 = 0
  /// `number`: the number's bits. `date`: milliseconds since 1970. `version`: offset of a `SemanticVersion`.
  /// `isIn`: offset of a `ValueList`. `startsWith` and its like: offset of the folded `TextReference`s.
  /// `address`: offset (low half) and number (high half) of `CIDR`s. `regex`: offset of a `RegexReference`.
  var payload: UInt64 = 0

  var operands: Place<TextReference> { Place(offset: operand) }
  /// What the payload leads to.
  func payload<Record: BitwiseCopyable>(as type: Record.Type) -> Place<Record> {
    Place(offset: UInt32(truncatingIfNeeded: payload))
  }

  mutating func setOperands(_ texts: (first: Place<TextReference>, count: UInt32)) {
    (operand, operandCount) = (texts.first.offset, texts.count)
  }
}

/// Texts in a form for quick look-up: `count` hashes at `hashes`, as many `TextReference`s at `texts`, and,
/// for long lists, a table of `tableMask + 1` indices plus one.
struct ValueList: BitwiseCopyable {
  var count: UInt32 = 0
  var hashes: Place<UInt64> = .none
  var texts: Place<TextReference> = .none
  var table: Place<UInt32> = .none
  var tableMask: UInt32 = 0
}

/// Variants one of which is chosen: a run of the flag's variants.
struct VariantSet: BitwiseCopyable {
  /// Index of the first among the flag's variants.
  var first: UInt32 = 0
  var count: UInt32 = 0
  /// After "group:", with the seed of variants.
  var group = Murmur3State()
  /// By default, or that field. `random` is looked up as a property like any other name.
  var field: Place<FieldRecord> = .none
  var total: UInt64 = 0
  /// `OverrideRecord`s.
  var overrides: Place<OverrideRecord> = .none
  var overrideCount: UInt32 = 0
  var groupName: TextReference = .none
}

/// Gives a variant to those whose field has one of the values.
struct OverrideRecord: BitwiseCopyable {
  /// Index among the flag's variants.
  var variant: UInt32
  var field: Place<FieldRecord>
  var values: ValueList
}

enum PayloadKind: UInt8, BitwiseCopyable {
  case none, string, csv, number, json, other
}

struct VariantRecord: BitwiseCopyable {
  var name: TextReference
  var payloadType: TextReference = .none
  var payload: TextReference = .none
  /// Sum of the weights of its set up to and with this one.
  var upTo: UInt64 = 0
  var weight: UInt32 = 0
  /// Index among the flag's counters.
  var cell: UInt32 = 0
  /// `number`: the payload as a number, when `isNumber`, and as an integer, when `isInteger`.
  var number: Double = 0
  var integer: Int64 = 0
  var payloadKind: PayloadKind = .none
  var isNumber = false
  var isInteger = false
  /// `json`: the payload is a JSON text.
  var isJSON = false
  /// Frontend mode: the variant's own `enabled`.
  var enabled = true
}

struct DependencyList: BitwiseCopyable {
  var count: UInt32
  /// After "childName:": the group of parents' rollouts that have no groupId.
  var childGroup: Murmur3State
}

/// Follows its list.
struct DependencyRecord: BitwiseCopyable {
  var name: TextReference
  /// The parent's `UnleashFlagRecord`; 0 when there is no such flag.
  var parent: Place<UnleashFlagRecord> = .none
  var wantsEnabled = true
  /// The parent depends on others itself, which nothing may depend on.
  var parentDepends = false
  /// Names of variants, as `TextReference`s.
  var variants: Place<TextReference> = .none
  var variantCount: UInt32 = 0
}
