import CHoist

/// What the tool must know of a service beyond its table of properties.
struct ProviderTraits {
  let name: String

  fileprivate var isUnleash: Bool { name == "unleash" }
  private var isOptimizely: Bool { name == "optimizely" }

  /// The property without which a client of the service stays offline.
  var connectionProperty: String { isOptimizely ? "sdk_key" : "url" }
  /// Where flags come from, without what a URL may carry.
  func place(_ configuration: Configuration) -> String {
    let url = configuration.value(of: isOptimizely ? "datafile.url" : "url") ?? ""
    return isOptimizely && url.isEmpty ? "Optimizely" : RedactedURL.text(url)
  }

  /// Files of flags to start with.
  var fileProperty: String { isOptimizely ? "datafile.file" : "bootstrap.file" }

  /// The attribute that means the same as the targeting key.
  var targetingField: String? { isUnleash ? "userId" : nil }

  /// Properties that keep a look from being counted as use: only for commands that report nothing.
  var silentProperties: [(name: String, value: String)] {
    if isOptimizely { return [("decide_options", #"["DISABLE_DECISION_EVENT"]"#)] }
    return isUnleash ? [("disable_metrics", "true"), ("disable_registration", "true")] : []
  }

  /// Properties that make a client evaluate a file here, without network; nil where that is not possible.
  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    if isOptimizely { return [("online", "false"), ("datafile.file", path)] }
    return isUnleash ? [("mode", "backend"), ("online", "false"), ("bootstrap.file", path)] : nil
  }

  /// Whether the service evaluates, so that the context must be known when the client is opened.
  func isEvaluatedByService(_ configuration: Configuration) -> Bool {
    isUnleash && configuration.value(of: "mode") == "frontend"
  }

  /// A context from JSON, in the service's own form where it has one.
  func context(_ json: [UInt8], origin: String) throws -> Context {
    var error: OpaquePointer?
    let handle = json.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return isUnleash
        ? hoist_unleash_context_from_json(start, bytes.count, &error)
        : hoist_context_from_json(start, bytes.count, &error)
    }
    guard let handle else {
      defer { hoist_error_free(error) }
      throw Problem(.usage, "\(origin): \(String(cString: hoist_error_message(error)))")
    }
    let context = Context(owning: handle)
    moveTargetingKey(context)
    return context
  }

  /// The service's own form has no targeting key, and takes it for one attribute more.
  private func moveTargetingKey(_ context: Context) {
    guard let field = targetingField else { return }
    guard let key = LibraryText(hoist_context_to_json(context.handle)).flatMap({ Members.text("targetingKey", in: $0) })
    else { return }
    _ = hoist_context_remove(context.handle, "targetingKey")
    _ = hoist_context_remove(context.handle, field)
    _ = hoist_context_set_targeting_key(context.handle, key)
  }
}

/// Keys.
extension ProviderTraits {
  /// What can be said of a key without saying the key. Unleash: `project:environment.secret`, where project is "*" for
  /// all and "[]" for several (protocol B.1); `user:` begins a personal access token.
  func kind(ofKey key: String) -> String {
    guard isUnleash else { return "a key" }
    guard let colon = key.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "a key without project and environment" }
    let project = key[..<colon]
    if project == "user" { return "a personal access token, which clients may not use: make a client or frontend token" }
    let rest = key[key.utf8.index(after: colon)...]
    guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { return "a key without environment" }
    let scope = project == "*" ? "all projects" : project == "[]" ? "several projects" : "project \(project)"
    let environment = rest[..<dot]
    return "a token for \(scope), " + (environment == "*" ? "all environments" : "environment \(environment)")
  }
}
