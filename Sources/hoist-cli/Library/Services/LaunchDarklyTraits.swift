import CHoist

struct LaunchDarklyTraits: ProviderTraits {
  let name = "launchdarkly"
  let connectionProperty = "mobile_key"
  let connectionOptions = "--mobile-key KEY, or --set mode=server and the SDK key in HOIST_KEY or --key-file FILE"
  let fileProperty: String? = "bootstrap.file"
  let fileMode: String? = "server"
  /// A relay has one address for everything.
  let addressProperties = ["base_url", "stream_url", "events_url"]
  let silentProperties: [(name: String, value: String)] = [("send_events", "false"), ("diagnostic_opt_out", "true")]

  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    [("online", "false"), ("bootstrap.file", path)]
  }

  private func decidesHere(_ configuration: Configuration) -> Bool { configuration.value(of: "mode") == "server" }

  func place(_ configuration: Configuration) -> String {
    let property = configuration.value(of: "streaming_mode") == "polling" ? "base_url" : "stream_url"
    guard let url = configuration.value(of: property) else { return "LaunchDarkly" }
    return url.isEmpty || url == configuration.row(property)?.defaultValue ? "LaunchDarkly" : Display.url(url)
  }

  /// In the service's own form, or in the form for every service.
  func context(_ json: [UInt8], origin: String) throws -> Context {
    let read = json.withUnsafeBytes { bytes in
      ServiceContext {
        hoist_launchdarkly_context_from_json(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, $0)
      }
    }
    return try read.use(origin) { Context(owning: hoist_launchdarkly_context_to_hoist($0)) }
  }

  /// A context of which nothing is said is the anonymous one that the client makes itself.
  func open(with context: Context, in configuration: Configuration) throws -> Bool {
    if decidesHere(configuration) { return false }
    guard !context.isEmpty else { return true }
    let read = ServiceContext { hoist_launchdarkly_context_from_hoist(context.handle, $0) }
    let json = try read.use("the context") { LibraryText(hoist_launchdarkly_context_to_json($0)) ?? "{}" }
    try configuration.set("context", json, from: "the context")
    return true
  }

  func steps(of explanation: JSON) -> [Step] { LaunchDarklySteps.steps(of: explanation) }

  func observeMode(of client: OpaquePointer, _ tell: @escaping (String) -> Void) throws {
    try ConnectionObserver.add(to: client, tell)
  }

  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind {
    let isServer = decidesHere(configuration)
    let advice =
      ": use the environment's " + (isServer ? "SDK key, which begins with sdk-" : "mobile key, which begins with mob-")
    if key.hasPrefix("mob-") { return isServer ? KeyKind("a mobile key" + advice, isWrong: true) : KeyKind("a mobile key") }
    if key.hasPrefix("sdk-") {
      let own = "; on a server --set mode=server"
      return isServer
        ? KeyKind("an SDK key") : KeyKind("a server's SDK key, which must stay on servers" + advice + own, isWrong: true)
    }
    if key.hasPrefix("api-") { return KeyKind("an access token of the REST API" + advice, isWrong: true) }
    let isHexadecimal = key.allSatisfy { $0.isASCII && $0.isHexDigit }
    return key.count == 24 && isHexadecimal ? KeyKind("a client-side ID" + advice, isWrong: true) : KeyKind("a key")
  }
}

/// A `hoist_launchdarkly_context`, or why there is none.
private final class ServiceContext {
  private let context: OpaquePointer?
  private var error: OpaquePointer?

  init(_ make: (UnsafeMutablePointer<OpaquePointer?>) -> OpaquePointer?) { context = make(&error) }

  deinit {
    hoist_launchdarkly_context_free(context)
    hoist_error_free(error)
  }

  /// - Parameter origin: of the context; begins the problem's message.
  func use<Result>(_ origin: String, _ body: (OpaquePointer) throws -> Result) throws -> Result {
    guard let context else { throw Problem(.usage, "\(origin): \(String(cString: hoist_error_message(error)))") }
    return try withExtendedLifetime(self) { try body(context) }
  }
}
