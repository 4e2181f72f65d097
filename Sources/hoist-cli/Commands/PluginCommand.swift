import ArgumentParser
import CHoist

struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "Tells what a plug-in in a shared object offers.",
    discussion: """
      Loads the file, whose code then runs with your rights, and makes nothing of what it offers.

      EXAMPLES
        hoist plugin ./journal.so
        hoist plugin ./journal.so --json

      EXIT STATUS
        4 when the file cannot serve as a plug-in.
      """)

  @Argument(
    help: ArgumentHelp("The shared object; a relative path starts at the current folder.", valueName: "file"), completion: .file()
  )
  var path: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    var error: OpaquePointer?
    let text = hoist_plugin_describe(path, &error)
    defer {
      hoist_text_free(text)
      hoist_error_free(error)
    }
    guard let text else { throw Problem(.configuration, String(cString: hoist_error_message(error))) }
    let described = JSON(parsing: String(cString: hoist_text_data(text))) ?? .null
    if output.json { Output.json(described) } else { show(described) }
  }

  private func show(_ offer: JSON) {
    var table = Table(["NAME", "VERSION", "ABI", "OFFERS"])
    let strategies = Self.list(offer["unleash_strategies"])
    let kinds = Self.list(offer["kinds"]).map { kind in
      kind == "unleash_strategy" ? "\(kind) (\(strategies.joined(separator: ", ")))" : kind
    }
    table.add([
      .init(offer["name"]?.string ?? ""), .init(offer["version"]?.string ?? "-"), .init(offer["abi_version"]?.text ?? ""),
      .init(kinds.joined(separator: ", ")),
    ])
    table.show()
  }

  private static func list(_ value: JSON?) -> [String] { value?.elements.compactMap(\.string) ?? [] }
}
