struct KameleoonTraits: ProviderTraits {
  let name = "kameleoon"
  let connectionProperty = "site_code"
  let connectionOptions = "--set site_code=CODE"
  /// Data, real-time events and tokens have hosts of their own.
  let addressProperties = ["configuration.url"]
  let fileProperty: String? = "default_datafile.file"
  /// A visitor without data is reported as active only when it is flushed.
  let silentProperties: [(name: String, value: String)] = [("track_evaluations", "false")]

  func place(_ configuration: Configuration) -> String {
    let url = configuration.value(of: "configuration.url") ?? ""
    guard url.isEmpty else { return Display.url(url) }
    let domain = configuration.value(of: "network_domain") ?? ""
    return domain.isEmpty ? "Kameleoon" : "Kameleoon at \(domain)"
  }

  /// A client must have a site; offline it is not used.
  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    [("online", "false"), ("default_datafile.file", path), ("site_code", "none")]
  }

  let inventsSubject = true
  let subjectOptions = ["--data", "--history", "--consent"]

  func subject(_ context: Context, _ options: ContextOptions, _ client: OpaquePointer) throws -> AnyObject? {
    guard !options.data.isEmpty || options.history != nil || options.consent != nil else { return nil }
    return try KameleoonSubject(client, context, options)
  }

  func steps(of explanation: JSON) -> [Step] { KameleoonSteps.steps(of: explanation) }

  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind { KeyKind("a client secret") }
  let id: ServiceID? = ServiceID(property: "site_code", form: "10 of 0-9 and a-z", length: 10, letters: "a"..."z")
}
