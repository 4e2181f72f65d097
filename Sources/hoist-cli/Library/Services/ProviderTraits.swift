import CHoist

/// What the tool must know of a service beyond its table of properties.
protocol ProviderTraits {
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

  /// Properties that make a client evaluate a file here, without network; nil where that is not possible.
  func offlineProperties(features path: String) -> [(name: String, value: String)]?

  /// Properties that keep a look from being counted as use: only for commands that report nothing.
  var silentProperties: [(name: String, value: String)] { get }

  /// The attribute that means the same as the targeting key.
  var targetingField: String? { get }

  /// A context from JSON, in the service's own form where it has one.
  func context(_ json: [UInt8], origin: String) throws -> Context

  /// Where the service evaluates, makes this the context that a client is opened with.
  /// - Returns: false where each call brings its context.
  func open(with context: Context, in configuration: Configuration) throws -> Bool

  /// Whether an open client has to be given its context, and to wait for the service's answer.
  func identifies(in configuration: Configuration) -> Bool

  /// Tells how a client is connected, now and at each change, inside `Session.dispatch`; nil where the service has no
  /// words for that. The observer lasts as long as the object.
  func observeMode(of client: OpaquePointer, _ tell: @escaping (String) -> Void) throws -> AnyObject?

  /// What can be said of a key without saying the key.
  func kind(ofKey key: String) -> String
}

extension ProviderTraits {
  var connectionProperty: String { "url" }
  var connectionOptions: String { "--url URL" }
  var addressProperties: [String] { ["url"] }
  func place(_ configuration: Configuration) -> String { Display.url(configuration.value(of: "url") ?? "") }
  var fileProperty: String? { nil }
  func offlineProperties(features path: String) -> [(name: String, value: String)]? { nil }
  var silentProperties: [(name: String, value: String)] { [] }
  var targetingField: String? { nil }
  func context(_ json: [UInt8], origin: String) throws -> Context { try Context(json, origin, hoist_context_from_json) }
  func open(with context: Context, in configuration: Configuration) throws -> Bool { false }
  func identifies(in configuration: Configuration) -> Bool { false }
  func observeMode(of client: OpaquePointer, _ tell: @escaping (String) -> Void) throws -> AnyObject? { nil }
  func kind(ofKey key: String) -> String { "a key" }
}

/// The services there are.
enum Services {
  static func traits(of provider: String) -> any ProviderTraits {
    let known: [any ProviderTraits] = [
      UnleashTraits(), OptimizelyTraits(), LaunchDarklyTraits(), FlagshipTraits(), KameleoonTraits(),
    ]
    return known.first { $0.name == provider } ?? PlainTraits(name: provider)
  }

  /// A service of which the tool knows its properties only.
  private struct PlainTraits: ProviderTraits {
    let name: String
  }
}
