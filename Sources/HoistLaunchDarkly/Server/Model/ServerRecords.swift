internal import HoistBase
internal import HoistCore

/// What a flag of the rule set says yes or no to (protocols/launchdarkly-server.md 3.1).
struct ServerFlagTraits: OptionSet, BitwiseCopyable {
  let rawValue: UInt16
  static let on = ServerFlagTraits(rawValue: 1)
  static let tracked = ServerFlagTraits(rawValue: 2)
  /// Experiments on the fallthrough of the old style.
  static let tracksFallthrough = ServerFlagTraits(rawValue: 4)
  static let clientSide = ServerFlagTraits(rawValue: 8)
  static let leftOutOfSummaries = ServerFlagTraits(rawValue: 16)
  static let hasDebugDate = ServerFlagTraits(rawValue: 32)
  static let hasOffVariation = ServerFlagTraits(rawValue: 64)
  /// Stands for flags that there are not.
  static let unlisted = ServerFlagTraits(rawValue: 128)
}

/// One flag with its rules, laid out for reading; whatever it refers to by key is looked up by the hash of the key, so that a
/// flag may be replaced alone.
struct ServerFlagRecord: BitwiseCopyable {
  /// Under the name by which it is found. One counter for each variation, and one for none.
  var head: FlagHead
  /// What the flag calls itself: by it hashes are made.
  var key: TextReference
  var version: Int64
  var traits: ServerFlagTraits = []
  var offVariation: Int32 = 0
  /// Milliseconds since 1970.
  var debuggedUntil: Int64 = 0
  var samplingRatio: Int64 = 1
  /// Of the consistency checks of a migration.
  var checkRatio: Int64 = 1
  var variations = RecordList<ValueRecord>()
  var prerequisites = RecordList<PrerequisiteRecord>()
  var targets = RecordList<TargetRecord>()
  var contextTargets = RecordList<TargetRecord>()
  var rules = RecordList<ServerRuleRecord>()
  /// Where no target and no rule is met.
  var otherwise = SelectionRecord()
  /// The flag as it was sent.
  var source = ItemSource.none
}

/// Records one after the other in a snapshot.
struct RecordList<Record: BitwiseCopyable>: BitwiseCopyable {
  var first: Place<Record> = .none
  var count: UInt32 = 0

  @inline(__always)
  func records(_ base: UnsafeRawPointer) -> UnsafeBufferPointer<Record> {
    UnsafeBufferPointer(start: base.at(first), count: Int(count))
  }
}

/// A text with its hash: the key of a flag or a segment, a kind, the name of an attribute.
struct NameRecord: BitwiseCopyable {
  var text: TextReference = .none
  var hash: UInt64 = 0
}

struct PrerequisiteRecord: BitwiseCopyable {
  var key: NameRecord
  var variation: Int32
}

struct TargetRecord: BitwiseCopyable {
  var kind: KindRecord
  /// Of keys.
  var keys: NameTable
  var variation: Int32
  /// For the kind of users, the keys of the first of the users' targets that has the same variation.
  var usersKeys: NameTable
  var isEmpty: Bool
}

/// A kind of contexts.
struct KindRecord: BitwiseCopyable {
  var name: NameRecord
  var isUser: Bool
}

struct ServerRuleRecord: BitwiseCopyable {
  var index: UInt32
  /// Without a place for a rule that has no id.
  var id: TextReference = .none
  var isTracked: Bool
  var clauses: RecordList<ClauseRecord>
  var selection: SelectionRecord
}

/// Which variation a rule gives: one, or one by weight, or neither, which is a fault.
struct SelectionRecord: BitwiseCopyable {
  var hasVariation = false
  var isExperiment = false
  var variation: Int32 = 0
  /// None where nothing is chosen by weight.
  var bucket: Place<BucketRecord> = .none
  var entries = RecordList<RolloutEntry>()
}

struct RolloutEntry: BitwiseCopyable {
  /// The sum of the weights up to it.
  var upTo: Double
  var variation: Int32
  var isTracked: Bool
}

/// By what a context is placed between 0 and 1 (4.6).
struct BucketRecord: BitwiseCopyable {
  var kind = KindRecord(name: NameRecord(), isUser: true)
  /// None for the key.
  var attribute: Place<ReferenceRecord> = .none
  /// What is hashed before the value: a seed, or key and salt, and a dot.
  var prefix: TextReference = .none
}

/// An attribute that rules refer to: names from the outermost on; none where the reference is not valid.
struct ReferenceRecord: BitwiseCopyable {
  var names: RecordList<NameRecord>
  var builtIn: BuiltInAttribute
}

enum BuiltInAttribute: UInt8, BitwiseCopyable {
  case none, kind, key, anonymous, meta
}

enum ClauseOperator: UInt8, BitwiseCopyable {
  case unknown, isIn, startsWith, endsWith, contains, matches, less, lessOrEqual, greater, greaterOrEqual, before, after
  case versionEqual, versionLess, versionGreater, segment
}

/// A condition, with its values read beforehand. Which lists are filled follows from the operator.
struct ClauseRecord: BitwiseCopyable {
  var test: ClauseOperator
  var isNegated: Bool
  var holdsNull = false
  var holdsTrue = false
  var holdsFalse = false
  var kind: KindRecord
  /// Where `attribute` is a name and nothing else, without a meaning of its own: that, for the way that most clauses go.
  var plain = NameRecord()
  var attribute: Place<ReferenceRecord> = .none
  /// `isIn`: strings.
  var strings = NameTable()
  /// Numbers; those of `isIn` in their order, dates as milliseconds.
  var numbers = RecordList<Double>()
  /// Texts to compare with; arrays and objects of `isIn` as JSON.
  var texts = RecordList<TextReference>()
  var expressions = RecordList<RegexReference>()
  var versions = RecordList<VersionOperand>()
  /// Keys of segments.
  var segments = RecordList<NameRecord>()
}

struct VersionOperand: BitwiseCopyable {
  var version: SemanticVersion
  var text: TextReference
}

/// A group of contexts (3.2).
struct ServerSegmentRecord: BitwiseCopyable {
  /// Under which it is found; a record of a table begins with it.
  var name: TextReference
  var key: TextReference
  var version: Int64
  var generation: Int64 = 0
  var isUnbounded = false
  var hasGeneration = false
  var unboundedKind: KindRecord
  /// Of users.
  var included: NameTable
  var excluded: NameTable
  var includedContexts: RecordList<TargetRecord>
  var excludedContexts: RecordList<TargetRecord>
  var rules: RecordList<SegmentRuleRecord>
  /// The segment as it was sent.
  var source: ItemSource
}

struct SegmentRuleRecord: BitwiseCopyable {
  var clauses: RecordList<ClauseRecord>
  /// A part of all, by weight.
  var isWeighted = false
  var weight: Double = 0
  var bucket: Place<BucketRecord> = .none
}

/// What a snapshot of rules has beside its flags.
struct ServerRoot: BitwiseCopyable {
  /// Of `ServerSegmentRecord`s.
  var segments = NameTable()
  /// One beside each counter, which evaluating threads write; see `ServerCells`.
  var words: Place<UInt32> = .none
  var wordCount: UInt32 = 0
}

extension Snapshot {
  /// A record of a snapshot of rules.
  func serverFlag(_ record: UnsafeRawPointer) -> UnsafePointer<ServerFlagRecord> {
    record.assumingMemoryBound(to: ServerFlagRecord.self)
  }

  /// In no order.
  var segments: [UnsafePointer<ServerSegmentRecord>] {
    let table = root(as: ServerRoot.self).pointee.segments
    if table.slots.isNone { return [] }
    return UnsafeBufferPointer(start: base.at(table.slots), count: Int(table.mask) + 1).compactMap { slot in
      slot.record == 0 ? nil : base.at(Place(offset: slot.record))
    }
  }

  func segment(_ key: ByteView, hash: UInt64) -> UnsafePointer<ServerSegmentRecord>? {
    root(as: ServerRoot.self).pointee.segments.find(key, hash: hash, in: base)?
      .assumingMemoryBound(to: ServerSegmentRecord.self)
  }
}
