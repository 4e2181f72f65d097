import CHoist

struct FlagshipTraits: ProviderTraits {
  let name = "flagship"
  let connectionProperty = "env_id"
  let connectionOptions = "--set env_id=ID, and the API key in HOIST_KEY or --key-file FILE"
  /// Bucketing files and hits have hosts of their own, as with no other service.
  let addressProperties = ["decision.url"]
  let fileProperty: String? = "bucketing.file"
  let fileMode: String? = "bucketing"
  /// The hit that reports a new visitor's consent waits for its batch, which never comes.
  let silentProperties: [(name: String, value: String)] = [
    ("expose", "false"), ("usage_tracking", "false"), ("hits.batch_interval", "86400"), ("hits.pool_max_size", "100000"),
  ]

  func place(_ configuration: Configuration) -> String {
    let property = decidesHere(configuration) ? "cdn.url" : "decision.url"
    guard let url = configuration.value(of: property) else { return "Flagship" }
    return url.isEmpty || url == configuration.row(property)?.defaultValue ? "Flagship" : Display.url(url)
  }

  /// A client must have an environment and a key; offline they are not used.
  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    [
      ("online", "false"), ("bucketing.file", path), ("env_id", String(repeating: "0", count: 20)), ("api_key", "none"),
    ]
  }

  /// Where the service decides, it does so for the client's current context, which is fetched.
  func identifies(in configuration: Configuration) -> Bool { !decidesHere(configuration) }

  func followsByItself(_ configuration: Configuration) -> Bool {
    decidesHere(configuration) && configuration.value(of: "polling_interval") != "0"
  }

  let inventsSubject = true

  func steps(of explanation: JSON) -> [Step] { FlagshipSteps.steps(of: explanation) }

  func switchedOff(_ client: OpaquePointer) -> String? {
    let isInPanic = Int(hoist_flagship_sdk_status(client)) == HOIST_FLAGSHIP_PANIC
    return isInPanic ? "panic: the service has switched all flags off" : nil
  }

  func record(
    _ kind: String, _ name: String, _ properties: [TrackedProperties.Property], through session: Session, for context: Context
  ) throws -> hoist_status {
    try FlagshipHit(kind, name, properties).send(session.client, for: context)
  }

  private func decidesHere(_ configuration: Configuration) -> Bool { configuration.value(of: "mode") == "bucketing" }

  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind { KeyKind("an API key") }
  let id: ServiceID? = ServiceID(property: "env_id", form: "20 of 0-9 and a-v", length: 20, letters: "a"..."v")
}
