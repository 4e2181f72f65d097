import ArgumentParser

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Lists all flags, evaluated.",
    discussion: """
      Counts nothing at the service. Where the service evaluates, it may tell of flags that are on only.

      EXAMPLES
        hoist flags --features features.json --user user-42
        hoist flags --features features.json --on --prefix shop. --json
      """)

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Only flags whose keys begin so.", valueName: "text"))
  var prefix = ""

  @Flag(help: "Only flags that are on.")
  var on = false

  func run() throws {
    let session = try Session(looking: service, for: context)
    let flags = session.allFlags().filter { ($0.enabled || !on) && $0.key.utf8.starts(with: prefix.utf8) }
    if output.json {
      return Output.json(["flags": .array(flags.map(\.json))])
    }
    FlagDetail.show(flags)
  }
}
