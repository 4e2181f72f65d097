struct OptimizelyTraits: ProviderTraits {
  let name = "optimizely"
  let connectionProperty = "sdk_key"
  let connectionOptions = "the SDK key in HOIST_KEY or --key-file FILE"
  let addressProperties = ["datafile.url"]
  let fileProperty: String? = "datafile.file"
  let silentProperties: [(name: String, value: String)] = [("decide_options", #"["DISABLE_DECISION_EVENT"]"#)]

  func place(_ configuration: Configuration) -> String {
    let url = configuration.value(of: "datafile.url") ?? ""
    return url.isEmpty ? "Optimizely" : Display.url(url)
  }

  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    [("online", "false"), ("datafile.file", path)]
  }

  let subjectOptions = ["--segment"]

  func subject(_ context: Context, _ options: ContextOptions, _ client: OpaquePointer) throws -> AnyObject? {
    options.segments.isEmpty ? nil : try OptimizelySubject(client, context, segments: options.segments)
  }

  func steps(of explanation: JSON) -> [Step] { OptimizelySteps.steps(of: explanation) }

  func followsByItself(_ configuration: Configuration) -> Bool {
    Int(configuration.value(of: "polling_interval") ?? "").map { $0 > 0 } ?? false
  }

  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind { KeyKind("an SDK key") }
}
