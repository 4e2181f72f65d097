import ArgumentParser
import CHoist

/// The subject of evaluations.
struct ContextOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The context: a JSON object, a file of one, or - for standard input.", valueName: "json|file|-"))
  var context: String?

  @Option(
    name: .customLong("attribute"),
    help: ArgumentHelp(
      "Sets an attribute of the context to a text, or with := to a JSON value; may be repeated.", valueName: "name=value"))
  var attributes: [String] = []

  @Option(help: ArgumentHelp("Whom flags are for: the context's targeting key.", valueName: "key"))
  var user: String?

  @Option(
    name: .customLong("segment"),
    help: ArgumentHelp("Optimizely: a segment of the data platform that the user is in; may be repeated.", valueName: "name"))
  var segments: [String] = []

  @Option(
    name: .customLong("data"),
    help: ArgumentHelp(
      "Kameleoon: a datum of the visitor, as {\"type\":\"Device\",\"device\":\"PHONE\"}, of any kind; may be repeated.",
      valueName: "json"))
  var data: [String] = []

  @Option(
    help: ArgumentHelp(
      "Kameleoon: the visitor's visits, as the Data API answers them: a JSON object, a file of one, or - for standard input.",
      valueName: "json|file|-"))
  var history: String?

  @Option(
    help: ArgumentHelp("Kameleoon: the visitor's consent, yes or no.", valueName: "yes|no"), completion: .list(["yes", "no"]))
  var consent: String?

  func validate() throws {
    if let consent, !["yes", "no"].contains(consent) { throw ValidationError("--consent \(consent) is neither yes nor no") }
  }

  /// Options over the JSON of --context. Warns of what means nothing to the service.
  func read(for traits: any ProviderTraits) throws -> Context {
    let given = [
      ("--segment", !segments.isEmpty), ("--data", !data.isEmpty), ("--history", history != nil), ("--consent", consent != nil),
    ]
    for (option, isGiven) in given where isGiven && !traits.subjectOptions.contains(option) {
      Output.error("hoist: \(option) means nothing to \(traits.name)")
    }
    let context = try base(traits)
    for attribute in attributes { try add(attribute, to: context) }
    if let user {
      guard hoist_context_set_targeting_key(context.handle, user) == HOIST_OK else {
        throw Problem(.usage, "--user: the key is not UTF-8")
      }
      if let field = traits.targetingField { _ = hoist_context_remove(context.handle, field) }
    }
    return context
  }

  private func base(_ traits: any ProviderTraits) throws -> Context {
    guard let given = context else { return Context() }
    if given.utf8.first == UInt8(ascii: "{") { return try traits.context(Array(given.utf8), origin: "--context") }
    return try traits.context(InputFile.read(given, for: "--context"), origin: "--context \(given)")
  }

  private func add(_ attribute: String, to context: Context) throws {
    guard let (name, value, isTyped) = Assignment.parts(attribute) else {
      throw Problem(.usage, "--attribute \(attribute): is not of the form name=value or name:=JSON")
    }
    let status =
      isTyped
      ? hoist_context_set_json(context.handle, name, value, value.utf8.count)
      : hoist_context_set_string(context.handle, name, value)
    guard status == HOIST_OK else {
      let reason = status == HOIST_ERR_PARSE ? "the value after := is not JSON" : "the name or the value is refused"
      throw Problem(.usage, "--attribute \(name): \(reason)")
    }
  }
}

/// `name=value`, and `name:=value` for a value that is no text.
enum Assignment {
  /// nil for what has no `=`, or nothing before it.
  static func parts(_ text: String) -> (name: String, value: String, isTyped: Bool)? {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.utf8.startIndex else { return nil }
    let (name, value) = (text[..<equals], String(text[text.utf8.index(after: equals)...]))
    let isTyped = name.utf8.last == UInt8(ascii: ":")
    return (String(isTyped ? name.dropLast() : name), value, isTyped)
  }
}
