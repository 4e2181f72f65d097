import CHoist

struct UnleashTraits: ProviderTraits {
  let name = "unleash"
  let fileProperty: String? = "bootstrap.file"
  let fileMode: String? = "backend"
  let targetingField: String? = "userId"
  let silentProperties: [(name: String, value: String)] = [("disable_metrics", "true"), ("disable_registration", "true")]

  func offlineProperties(features path: String) -> [(name: String, value: String)]? {
    [("online", "false"), ("bootstrap.file", path)]
  }

  /// A document is read as a program's calls read it; one that still has something nested, as Unleash's engine reads it.
  func context(_ json: [UInt8], origin: String) throws -> Context {
    let context = try Context(json, origin, hoist_context_from_json)
    guard ["properties", "context"].contains(where: { hasObject($0, context) }) else { return context }
    let nested = try Context(json, origin, hoist_unleash_context_from_json)
    moveTargetingKey(nested)
    return nested
  }

  private func hasObject(_ name: String, _ context: Context) -> Bool {
    var attribute = hoist_attribute()
    attribute.struct_size = MemoryLayout<hoist_attribute>.size
    guard hoist_context_get(context.handle, name, &attribute) == HOIST_OK else { return false }
    return attribute.type == HOIST_ATTRIBUTE_JSON
  }

  func open(with context: Context, in configuration: Configuration) throws -> Bool {
    guard configuration.value(of: "mode") == "frontend" else { return false }
    try configuration.set("context", context.json, from: "the context")
    return true
  }

  func steps(of explanation: JSON) -> [Step] { UnleashSteps.steps(of: explanation) }

  func followsByItself(_ configuration: Configuration) -> Bool {
    configuration.value(of: "refresh_interval") != "0" || configuration.value(of: "fetch_mode") == "streaming"
  }

  /// The service's own form has no targeting key, and takes it for one attribute more.
  private func moveTargetingKey(_ context: Context) {
    guard let key = JSON(parsing: context.json)?["targetingKey"]?.string else { return }
    _ = hoist_context_remove(context.handle, "targetingKey")
    _ = hoist_context_remove(context.handle, "userId")
    _ = hoist_context_set_targeting_key(context.handle, key)
  }

  /// `project:environment.secret`, where project is "*" for all and "[]" for several (protocol B.1); `user:` begins a
  /// personal access token.
  func kind(ofKey key: String, in configuration: Configuration) -> KeyKind {
    guard let colon = key.utf8.firstIndex(of: UInt8(ascii: ":")) else { return KeyKind("a key without project and environment") }
    let project = key[..<colon]
    if project == "user" {
      return KeyKind("a personal access token, which clients may not use: make a backend or frontend token", isWrong: true)
    }
    let rest = key[key.utf8.index(after: colon)...]
    guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { return KeyKind("a key without environment") }
    let scope = project == "*" ? "all projects" : project == "[]" ? "several projects" : "project \(project)"
    let environment = rest[..<dot]
    return KeyKind("a token for \(scope), " + (environment == "*" ? "all environments" : "environment \(environment)"))
  }

  func otherMode(_ configuration: Configuration) -> (properties: [(name: String, value: String)], advice: String)? {
    guard let url = configuration.value(of: "url") else { return nil }
    let frontend = "/frontend"
    if configuration.value(of: "mode") == "backend" {
      return ([("mode", "frontend"), ("url", url + frontend)], "a frontend token: try --set mode=frontend --url URL\(frontend)")
    }
    let backend = url.hasSuffix(frontend) ? String(url.dropLast(frontend.count)) : url
    return ([("mode", "backend"), ("url", backend)], "a backend token: try --set mode=backend --url \(Display.url(backend))")
  }
}
