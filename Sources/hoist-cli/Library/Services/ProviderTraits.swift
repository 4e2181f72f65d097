import CHoist

/// What the tool must know of a service beyond its table of properties.
protocol ProviderTraits: Sendable {
  var name: String { get }

  /// The property without which a client of the service stays offline, and the options that set it.
  var connectionProperty: String { get }
  var connectionOptions: String { get }

  /// The properties that --url sets.
  var addressProperties: [String] { get }

  /// The source of flags, without secrets that a URL may contain.
  func place(_ configuration: Configuration) -> String

  /// The property that names a file of flags to start with; nil where there is none.
  var fileProperty: String? { get }

  /// The mode in which files are evaluated, unless another is set; nil for a service without modes.
  var fileMode: String? { get }

  /// Properties that make a client evaluate a file here, without network; nil where that is not possible.
  func offlineProperties(features path: String) -> [(name: String, value: String)]?

  /// Properties that keep a look from being counted as use: only for commands that report nothing.
  var silentProperties: [(name: String, value: String)] { get }

  /// The attribute that means the same as the targeting key.
  var targetingField: String? { get }

  /// A context from JSON, in the service's own form where it has one.
  func context(_ json: [UInt8], origin: String) throws -> Context

  /// The options beyond the context that say something of a subject here.
  var subjectOptions: [String] { get }

  /// Tells a client that has flags what these options say of the subject.
  /// - Returns: what has to live as long as it is evaluated for; nil where no such option is given.
  func subject(_ context: Context, _ options: ContextOptions, _ client: OpaquePointer) throws -> AnyObject?

  /// Sentences for an explanation.
  func steps(of explanation: JSON) -> [Step]

  /// Where the service evaluates, makes this the context that a client is opened with.
  /// - Returns: false where each call brings its context.
  func open(with context: Context, in configuration: Configuration) throws -> Bool

  /// Whether an open client has to be given its context, and to wait for the service's answer.
  func identifies(in configuration: Configuration) -> Bool

  /// Records something of a kind that only this service knows.
  func record(
    _ kind: String, _ name: String, _ properties: [TrackedProperties.Property], through session: Session, for context: Context
  ) throws -> hoist_status

  /// Whether a client hears of changes without being asked to fetch.
  func followsByItself(_ configuration: Configuration) -> Bool

  /// Whether a client without a targeting key makes up a subject of its own.
  var inventsSubject: Bool { get }

  /// Tells how a client is connected, now and at each change, inside `Session.dispatch`, until the client is freed. Nothing
  /// where the service has no words for that.
  func observeMode(of client: OpaquePointer, _ tell: @escaping (String) -> Void) throws

  /// Why the service serves no flags although it answers; nil where it has not said so.
  func switchedOff(_ client: OpaquePointer) -> String?

  /// What can be said of a key without saying the key.
  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind

  /// The id of the account or environment, where its form is known.
  var id: ServiceID? { get }

  /// The mode that a client is not in, and what to do when the service takes the key there; nil without modes.
  func otherMode(_ configuration: Configuration) -> (properties: [(name: String, value: String)], advice: String)?
}

extension ProviderTraits {
  var connectionProperty: String { "url" }
  var connectionOptions: String { "--url URL" }
  var addressProperties: [String] { ["url"] }
  func place(_ configuration: Configuration) -> String { Display.url(configuration.value(of: "url") ?? "") }
  var fileProperty: String? { nil }
  var fileMode: String? { nil }
  func offlineProperties(features path: String) -> [(name: String, value: String)]? { nil }
  var silentProperties: [(name: String, value: String)] { [] }
  var targetingField: String? { nil }
  func context(_ json: [UInt8], origin: String) throws -> Context { try Context(json, origin, hoist_context_from_json) }
  var subjectOptions: [String] { [] }
  func subject(_ context: Context, _ options: ContextOptions, _ client: OpaquePointer) throws -> AnyObject? { nil }
  func steps(of explanation: JSON) -> [Step] {
    explanation.members?.map { Step("\($0.name): \($0.value.text)") } ?? [Step(explanation.text)]
  }
  func open(with context: Context, in configuration: Configuration) throws -> Bool { false }
  func identifies(in configuration: Configuration) -> Bool { false }
  func record(
    _ kind: String, _ name: String, _ properties: [TrackedProperties.Property], through session: Session, for context: Context
  ) throws -> hoist_status {
    throw Problem(.usage, "--hit: provider \(self.name) has no hits")
  }
  func followsByItself(_ configuration: Configuration) -> Bool { true }
  func switchedOff(_ client: OpaquePointer) -> String? { nil }
  var inventsSubject: Bool { false }
  func observeMode(of client: OpaquePointer, _ tell: @escaping (String) -> Void) throws {}
  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind { KeyKind("a key") }
  var id: ServiceID? { nil }
  func otherMode(_ configuration: Configuration) -> (properties: [(name: String, value: String)], advice: String)? { nil }
}

/// A subject that knows more than the core's calls, which therefore decides by itself.
protocol DecidingSubject: AnyObject {
  /// As the core's details, explained; nil where those say it as well.
  func decide(_ flag: String) -> JSON?
}

/// The services there are.
enum Services {
  static let known: [any ProviderTraits] = [
    UnleashTraits(), OptimizelyTraits(), LaunchDarklyTraits(), FlagshipTraits(), KameleoonTraits(),
  ]

  static func traits(of provider: String) -> any ProviderTraits {
    known.first { $0.name == provider } ?? PlainTraits(name: provider)
  }

  /// A service of which the tool knows its properties only.
  private struct PlainTraits: ProviderTraits {
    let name: String
  }
}
