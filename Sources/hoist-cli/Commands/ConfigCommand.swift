import ArgumentParser

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Lists the properties of a service.",
    discussion: """
      With --config, --set and the other options of the service, also shows the values that differ from the defaults; \
      so it checks a file of properties without opening a client.

      EXAMPLES
        hoist config unleash
        hoist config unleash --prefix events. --json
        hoist config --config properties.json
      """)

  @Argument(help: "The service; another way to say --provider.", completion: .list(Services.known.map(\.name)))
  var name: String?

  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Only properties whose names begin so.", valueName: "text"))
  var prefix = ""

  func run() throws {
    let configuration = try service.configuration(for: .show, provider: name)
    let rows = configuration.table.filter { $0.name.utf8.starts(with: prefix.utf8) }
    output.json ? showJSON(rows, configuration) : showTable(rows, configuration)
  }

  /// nil where the default holds.
  private func value(_ row: PropertyRow, _ configuration: Configuration) -> String? {
    guard let value = configuration.value(of: row.name), value != row.defaultValue ?? "" else { return nil }
    return configuration.traits.addressProperties.contains(row.name) ? Display.url(value) : value
  }

  private func showTable(_ rows: [PropertyRow], _ configuration: Configuration) {
    let values = rows.map { value($0, configuration) }
    let hasValues = values.contains { $0 != nil }
    var table = Table(["NAME"] + (hasValues ? ["VALUE"] : []) + ["DEFAULT", "MEANING"])
    for (row, value) in zip(rows, values) {
      let fallback = row.isSecret || row.defaultValue?.isEmpty != false ? "-" : row.defaultValue ?? "-"
      table.add(
        [.init(row.name)] + (hasValues ? [.init(value ?? "", .green)] : [])
          + [.init(fallback), .init("\(row.meaning) [\(row.range.isEmpty ? row.type : row.range)]")])
    }
    table.show()
  }

  private func showJSON(_ rows: [PropertyRow], _ configuration: Configuration) {
    let properties = rows.map { row -> JSON in
      [
        "name": .string(row.name), "type": .string(row.type), "default": JSON(row.defaultValue), "range": .string(row.range),
        "meaning": .string(row.meaning), "secret": .bool(row.isSecret), "required": .bool(row.isRequired),
        "value": JSON(value(row, configuration)),
      ]
    }
    Output.json(["provider": .string(configuration.traits.name), "properties": .array(properties)])
  }
}
