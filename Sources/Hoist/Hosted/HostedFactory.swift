internal import CHoist
internal import HoistBase
internal import HoistCore

/// What a provider's table says, copied and checked.
struct HostedDescription: Sendable {
  static let maximumProperties = 200
  static let maximumPipelines = 8

  let table: HostedTable
  let name: String
  let properties: [Property]
  /// Names of the properties that distinguish stores.
  let identity: [String]
  let pipelines: [HostedPipelineOptions]

  /// - Parameter offered: the name that a shared object offers it under; nil for what the table says.
  init(_ table: HostedTable, offered: String? = nil) throws(Refusal) {
    let members = table.members
    guard let name = members.name == nil ? offered : CString.text(members.name), Self.isName(name, also: "-") else {
      throw Refusal(
        .argument, "a provider's name is a to z, 0 to 9, - and _, from a letter on, at most 40 of them")
    }
    func refuse(_ status: Status, _ what: String) -> Refusal { Refusal(status, "the provider \"\(name)\" \(what)") }
    if let offered, !offered.utf8.elementsEqual(name.utf8) {
      throw refuse(.plugin, "is offered under another name, \"\(offered.prefix(80))\"")
    }
    guard members.create != nil else { throw refuse(.argument, "has no create") }
    self.table = table
    self.name = name
    do throws(ConfigurationFailure) {
      (properties, identity) = try Self.properties(members)
    } catch {
      throw refuse(.configuration, error.message)
    }
    guard let pipelines = Self.pipelines(members) else {
      throw refuse(
        .argument, "has pipelines that cannot be: at most \(Self.maximumPipelines), each with struct_size and a name of its own")
    }
    guard pipelines.isEmpty || members.encode != nil else { throw refuse(.argument, "has pipelines and no encode") }
    self.pipelines = pipelines
  }

  private static func isName(_ name: String, also extra: Unicode.Scalar) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count <= 40, (0x61...0x7A).contains(first) else { return false }
    return bytes.allSatisfy {
      (0x61...0x7A).contains($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") || UInt32($0) == extra.value
    }
  }

  private static func pipelines(_ members: hoist_provider) -> [HostedPipelineOptions]? {
    guard let told = HostTable.list(members.pipelines, members.pipeline_count, limit: maximumPipelines)
    else { return nil }
    var pipelines: [HostedPipelineOptions] = []
    for one in told {
      guard let name = CString.text(one.name), isName(name, also: "_"), one.flush_interval_ms >= 0,
        one.flush_count >= 0, one.batch_count >= 0,
        !(HostedPipelineOptions.reservedNames + pipelines.map(\.name)).contains(where: { $0.utf8.elementsEqual(name.utf8) })
      else { return nil }
      pipelines.append(
        HostedPipelineOptions(
          name: name, flushIntervalMilliseconds: one.flush_interval_ms, flushCount: one.flush_count,
          batchCount: one.batch_count))
    }
    return pipelines
  }

  private static func properties(
    _ members: hoist_provider
  ) throws(ConfigurationFailure) -> (all: [Property], identity: [String]) {
    guard let told = HostTable.list(members.properties, members.property_count, limit: maximumProperties)
    else {
      throw ConfigurationFailure(
        "", "has properties that cannot be read: at most \(maximumProperties), each with its struct_size")
    }
    var all: [Property] = []
    for one in told { all.append(try property(one, after: all)) }
    return (all, zip(all, told).filter { $0.1.is_identity }.map(\.0.name))
  }

  private static func property(
    _ told: hoist_provider_property, after others: [Property]
  ) throws(ConfigurationFailure) -> Property {
    guard let name = CString.text(told.name), !name.isEmpty, name.utf8.count <= 80 else {
      throw ConfigurationFailure("", "has a property whose name is NULL, empty, too long or not UTF-8")
    }
    guard !(CoreProperties.table + others).contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw ConfigurationFailure(name, "has a property \"\(name)\", and there is one of that name already")
    }
    guard let kind = kind(told), let help = told.help == nil ? "" : CString.text(told.help),
      told.default_value == nil || CString.text(told.default_value) != nil
    else { throw ConfigurationFailure(name, "has a property \"\(name)\" of no known type, without a range, or not in UTF-8") }
    let property = Property(
      name, kind, default: CString.text(told.default_value), required: told.is_required, help)
    if let value = property.defaultValue {
      var values = PropertyValues(table: [property])
      try values.set(name, value)
    }
    return property
  }

  private static func kind(_ told: hoist_provider_property) -> Property.Kind? {
    switch Int(told.type) {
    case HOIST_PROPERTY_TEXT: .text
    case HOIST_PROPERTY_SECRET: .secret
    case HOIST_PROPERTY_BOOL: .boolean
    case HOIST_PROPERTY_JSON: .json
    case HOIST_PROPERTY_INT64 where told.minimum == 0 && told.maximum == 0: .integer(.min ... .max)
    case HOIST_PROPERTY_INT64 where told.minimum <= told.maximum: .integer(told.minimum...told.maximum)
    default: nil
    }
  }
}

/// Makes the clients of a provider plug-in.
struct HostedFactory: ProviderFactory {
  let description: HostedDescription

  var name: String { description.name }
  var properties: [Property] { description.properties }

  func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    let provider = HostedProvider(description, values, host)
    try provider.create(name)
    return provider
  }

  func storeIdentity(_ values: PropertyValues) -> String {
    ([name] + description.identity.map { values.revealed($0) ?? "" }).joined(separator: "|")
  }
}
