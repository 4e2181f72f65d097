import ArgumentParser
import CHoist
import HoistJSON

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

  @Argument(help: ArgumentHelp("The shared object; a relative path starts at the current folder.", valueName: "file"))
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
    let described = String(cString: hoist_text_data(text))
    if output.json { return Output.json { $0.raw(described.utf8) } }
    show(try JSONDocument(parsing: Array(described.utf8)))
  }

  private func show(_ document: JSONDocument) {
    var table = Table(["NAME", "VERSION", "ABI", "OFFERS"])
    document.withRoot { root in
      let strategies = Self.list(root["unleash_strategies"])
      let kinds = Self.list(root["kinds"]).map { kind in
        kind == "unleash_strategy" ? "\(kind) (\(strategies.joined(separator: ", ")))" : kind
      }
      table.add([
        .init(root["name"]?.string ?? ""), .init(root["version"]?.string ?? "-"),
        .init(root["abi_version"]?.int64.map { String($0) } ?? ""), .init(kinds.joined(separator: ", ")),
      ])
    }
    table.show()
  }

  private static func list(_ value: JSONValue?) -> [String] { value?.array.map { $0.compactMap(\.string) } ?? [] }
}
