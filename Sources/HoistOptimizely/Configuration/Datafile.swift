internal import HoistBase
internal import HoistJSON

/// Where a project's events go.
public enum OptimizelyRegion: UInt8, BitwiseCopyable, Sendable {
  case us, eu

  public var text: StaticString { self == .us ? "US" : "EU" }

  /// The address that events are posted to (`OPT-99`).
  public var eventsURL: StaticString {
    self == .us ? "https://logx.optimizely.com/v1/events" : "https://eu.logx.optimizely.com/v1/events"
  }
}

/// Why a datafile is refused.
public enum OptimizelyDatafileFailure: Error, Sendable, Equatable {
  /// Not JSON, or a member that is needed is missing or of another type; says which.
  case invalid(String)
  /// A version other than "4".
  case versionInvalid(String)

  /// One line.
  public var message: String {
    switch self {
    case .invalid(let what): "not a datafile: \(what)"
    case .versionInvalid(let version): "a datafile of version \"\(version)\", not \"4\""
    }
  }
}

/// A list that the reader of the datafile keeps.
typealias DefinitionList<Element> = UnsafeBufferPointer<Element>

/// A datafile as it was sent. Texts and lists are borrowed from their reader.
struct Datafile {
  var projectID = ByteView.noBytes
  var accountID = ByteView.noBytes
  var revision = ByteView.noBytes
  var sdkKey = ByteView.noBytes
  var environmentKey = ByteView.noBytes
  var anonymizesAddresses = false
  var botFiltering: Bool?
  var sendsFlagDecisions = false
  var region = OptimizelyRegion.us
  var experiments: [RuleDefinition] = []
  var groups: [GroupDefinition] = []
  var flags: [FlagDefinition] = []
  var rollouts: [RolloutDefinition] = []
  var audiences: [AudienceDefinition] = []
  var typedAudiences: [AudienceDefinition] = []
  var attributes: [KeyedDefinition] = []
  var events: [EventDefinition] = []
  var holdouts: [RuleDefinition] = []
  var localHoldouts: [RuleDefinition] = []
  var segmentsHost: ByteView?
  var segmentsKey: ByteView?
}

struct KeyedDefinition: BitwiseCopyable {
  var id: ByteView
  var key: ByteView
}

struct EventDefinition: BitwiseCopyable {
  var id: ByteView
  var key: ByteView
  var experimentIDs: DefinitionList<ByteView>
}

/// An expression of audiences or conditions. Checked to be JSON, except inside strings.
enum ConditionsDefinition: BitwiseCopyable {
  case json(ByteView)
  /// What a string says.
  case text(ByteView)
}

struct AudienceDefinition: BitwiseCopyable {
  var id: ByteView
  var name: ByteView
  var conditions: ConditionsDefinition?
}

struct GroupDefinition: BitwiseCopyable {
  var id: ByteView
  var isExclusive: Bool
  var allocation: DefinitionList<AllocationDefinition>
  var experiments: DefinitionList<RuleDefinition>
}

struct RolloutDefinition: BitwiseCopyable {
  var id: ByteView
  var rules: DefinitionList<RuleDefinition>
}

struct AllocationDefinition: BitwiseCopyable {
  var entity: ByteView
  var end: Int64
}

struct VariationDefinition: BitwiseCopyable {
  var id: ByteView
  var key: ByteView
  /// Nil where the datafile does not say, which counts as false.
  var featureEnabled: Bool?
  var variables: DefinitionList<ValueDefinition>

  var isEnabled: Bool { featureEnabled ?? false }
}

/// A variation's value for the variable of an id.
struct ValueDefinition: BitwiseCopyable {
  var id: ByteView
  var value: ByteView
}

struct WhitelistDefinition: BitwiseCopyable {
  var user: ByteView
  var variationKey: ByteView
}

struct PredictionDefinition: BitwiseCopyable {
  var range: Int64
  var attributeIDs: DefinitionList<ByteView>
}

enum RuleType: BitwiseCopyable {
  case ordinary, targetedDelivery, featureRollout
}

/// An experiment, a delivery rule or a holdout.
struct RuleDefinition: BitwiseCopyable {
  var id: ByteView
  var key: ByteView
  var isRunning: Bool
  var layerID: ByteView
  var type: RuleType
  var variations: DefinitionList<VariationDefinition>
  var allocation: DefinitionList<AllocationDefinition>
  var audienceIDs: DefinitionList<ByteView>
  /// Present and not null.
  var audienceConditions: ConditionsDefinition?
  /// Each user once.
  var whitelist: DefinitionList<WhitelistDefinition>
  var prediction: PredictionDefinition?
  var includedRules: DefinitionList<ByteView>
  var excludesTargetedDeliveries: Bool
}

struct VariableDefinition: BitwiseCopyable {
  var id: ByteView
  var key: ByteView
  var type: VariableType
  var defaultValue: ByteView
}

struct FlagDefinition: BitwiseCopyable {
  var id: ByteView
  var key: ByteView
  var experimentIDs: DefinitionList<ByteView>
  var rolloutID: ByteView
  var variables: DefinitionList<VariableDefinition>
}

extension UnsafeBufferPointer {
  /// No elements.
  static var nothing: Self { Self(start: nil, count: 0) }
}
