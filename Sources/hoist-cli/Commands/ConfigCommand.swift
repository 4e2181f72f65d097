import ArgumentParser
import HoistJSON

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

  @Argument(help: "The service; another way to say --provider.")
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
    Output.json { writer in
      writer.object { writer in
        writer.member("provider", configuration.traits.name)
        writer.key("properties")
        writer.array { writer in
          for row in rows { row.write(to: &writer, value: value(row, configuration)) }
        }
      }
    }
  }
}

extension PropertyRow {
  fileprivate func write(to writer: inout JSONWriter, value: String?) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("type", type)
      writer.member("default", defaultValue)
      writer.member("range", range)
      writer.member("meaning", meaning)
      writer.member("secret", isSecret)
      writer.member("required", isRequired)
      writer.member("value", value)
    }
  }
}
