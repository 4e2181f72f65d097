import CHoist

/// A `hoist_config` and the table of its properties.
final class Configuration {
  let handle: OpaquePointer
  let traits: any ProviderTraits
  let table: [PropertyRow]
  private(set) var keyOrigin = KeyOrigin.none
  /// As it was set by `setKey`; that of a file of properties is not shown.
  private(set) var key: String?

  enum KeyOrigin {
    case none, environment, file(String), argument(String), configuration
  }

  init(provider: String) throws {
    guard let json = LibraryText(hoist_config_describe(provider)), let handle = hoist_config_new(provider) else {
      throw Problem(.usage, "--provider \(provider): \(Self.unknown(provider))")
    }
    self.handle = handle
    traits = Services.traits(of: provider)
    table = PropertyRow.parseAll(json)
  }

  deinit { hoist_config_free(handle) }

  /// The library's own words, which list the providers there are.
  private static func unknown(_ provider: String) -> String {
    let config = hoist_config_new(provider)
    var error: OpaquePointer?
    defer {
      hoist_config_free(config)
      hoist_error_free(error)
    }
    _ = hoist_config_set(config, "name", "", &error)
    return error == nil ? "is no provider" : String(cString: hoist_error_message(error))
  }

  func row(_ name: String) -> PropertyRow? { table.first { $0.name == name } }

  /// Secrets read as "***".
  func value(of name: String) -> String? { LibraryText(hoist_config_get(handle, name)) }

  func set(_ name: String, _ value: String, from origin: String, _ kind: Problem.Kind = .configuration) throws {
    try Problem.unless(kind, origin) { hoist_config_set(handle, name, value, $0) }
  }

  /// Sets all members of a JSON object, or none.
  func apply(_ json: [UInt8], from origin: String) throws {
    try Problem.unless(.configuration, origin) { error in
      json.withUnsafeBytes {
        hoist_config_set_json(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, error)
      }
    }
  }

  /// Has a client load a plug-in, or not load it, beside the others that property plugins names.
  func setPlugin(_ name: String, _ options: JSON?) throws {
    let named = value(of: "plugins").flatMap { JSON(parsing: $0)?.members } ?? []
    let others = named.filter { !$0.name.utf8.elementsEqual(name.utf8) }
    try set("plugins", JSON.object(others + (options.map { [(name, $0)] } ?? [])).text, from: "property plugins")
  }

  func setKey(_ key: [UInt8], from origin: KeyOrigin, named source: String) throws {
    guard let row = table.first(where: \.isSecret) else {
      throw Problem(.configuration, "\(source): provider \(traits.name) takes no key")
    }
    var text = String(decoding: key, as: UTF8.self)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    guard !text.isEmpty else { throw Problem(.configuration, "\(source): holds no key") }
    try set(row.name, text, from: source)
    keyOrigin = origin
    self.key = text
  }

  /// To be called when the file of --config has been applied.
  func noticeKey() {
    let isSet = table.contains { $0.isSecret && !(value(of: $0.name) ?? "").isEmpty }
    if isSet { keyOrigin = .configuration }
  }

  /// Whether the service to use is named.
  var hasConnection: Bool { !(value(of: traits.connectionProperty) ?? "").isEmpty }

  /// The file of flags to start with; nil without one.
  var file: String? { traits.fileProperty.flatMap { value(of: $0) }.flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a client would use the network.
  var isOnline: Bool { value(of: "online") != "false" && hasConnection }
}

/// One property, as the library describes it.
struct PropertyRow {
  let name: String
  let type: String
  let defaultValue: String?
  let range: String
  let meaning: String
  let isSecret: Bool
  let isRequired: Bool

  static func parseAll(_ json: String) -> [PropertyRow] {
    JSON(parsing: json)?.elements.map { PropertyRow($0) } ?? []
  }

  private init(_ row: JSON) {
    name = row["name"]?.string ?? ""
    type = row["type"]?.string ?? ""
    defaultValue = row["default"]?.string
    range = row["range"]?.string ?? ""
    meaning = row["meaning"]?.string ?? ""
    isSecret = row["secret"]?.bool ?? false
    isRequired = row["required"]?.bool ?? false
  }
}
