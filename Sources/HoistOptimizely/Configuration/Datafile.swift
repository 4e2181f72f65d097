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

/// A datafile as it was sent. Texts are borrowed from their reader.
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

struct KeyedDefinition {
  var id: ByteView
  var key: ByteView
}

struct EventDefinition {
  var id: ByteView
  var key: ByteView
  var experimentIDs: [ByteView]
}

struct AudienceDefinition {
  var id: ByteView
  var name: ByteView
  /// A tree, or a text of one.
  var conditions: JSONDocument?
}

struct GroupDefinition {
  var id: ByteView
  var isExclusive: Bool
  var allocation: [AllocationDefinition]
  var experiments: [RuleDefinition]
}

struct RolloutDefinition {
  var id: ByteView
  var rules: [RuleDefinition]
}

struct AllocationDefinition {
  var entity: ByteView
  var end: Int64
}

struct VariationDefinition {
  var id: ByteView
  var key: ByteView
  /// Nil where the datafile does not say, which counts as false.
  var featureEnabled: Bool?
  var variables: [(id: ByteView, value: ByteView)]
}

extension VariationDefinition {
  var isEnabled: Bool { featureEnabled ?? false }
}

enum RuleType {
  case ordinary, targetedDelivery, featureRollout
}

/// An experiment, a delivery rule or a holdout.
struct RuleDefinition {
  var id: ByteView
  var key: ByteView
  var isRunning: Bool
  var layerID: ByteView
  var type: RuleType
  var variations: [VariationDefinition]
  var allocation: [AllocationDefinition]
  var audienceIDs: [ByteView]
  /// Present and not null.
  var audienceConditions: JSONDocument?
  var whitelist: [(user: ByteView, variationKey: ByteView)]
  var prediction: (range: Int64, attributeIDs: [ByteView])?
  var includedRules: [ByteView]
  var excludesTargetedDeliveries: Bool
}

struct VariableDefinition {
  var id: ByteView
  var key: ByteView
  var type: VariableType
  var defaultValue: ByteView
}

struct FlagDefinition {
  var id: ByteView
  var key: ByteView
  var experimentIDs: [ByteView]
  var rolloutID: ByteView
  var variables: [VariableDefinition]
}

extension UnsafeRawBufferPointer {
  /// No bytes.
  static var noBytes: ByteView { ByteView(start: nil, count: 0) }
}
