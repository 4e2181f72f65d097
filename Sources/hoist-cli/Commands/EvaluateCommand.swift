import ArgumentParser
import CHoist

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Evaluates a flag.",
    discussion: """
      Counts nothing at the service. A flag that cannot be evaluated, as one that does not exist, is told of on standard \
      error and ends with status 1.

      EXAMPLES
        hoist evaluate banner --features features.json --user user-42
        hoist evaluate banner --features features.json --user user-42 --value
        hoist evaluate banner --url https://flags.example.com/api/frontend --json
        hoist evaluate banner --features features.json --attribute plan=pro
        hoist evaluate banner --provider optimizely --datafile datafile.json --user user-42
        hoist evaluate banner --provider flagship --features bucketing.json --user user-42 --attribute vip:=true
        hoist evaluate banner --provider kameleoon --features site.json --user user-42 --attribute plan=gold
        if hoist evaluate banner --features features.json --exit-code; then echo on; fi

      EXIT STATUS
        1 when the flag cannot be evaluated, or the service does not list it; with --exit-code 1 when it is off, as one that is \
        not listed, and 5 when it cannot be evaluated.
      """,
    aliases: ["eval"])

  @Argument(help: "Key of the flag.")
  var flag: String

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Prints the flag's value only; nothing when it has none.")
  var value = false

  @Flag(help: "Ends with status 1 when the flag is off, or its value is false, and with 5 when it cannot be evaluated.")
  var exitCode = false

  func validate() throws {
    if value && output.json { throw ValidationError("--value and --json exclude each other") }
  }

  func run() throws {
    let session = try Session(looking: service, for: context)
    let detail = try session.evaluate(flag)
    show(detail)
    try detail.end(unknown: exitCode ? .unknown : .negative)
    if exitCode, !detail.enabled || detail.value.bool == false { throw ExitCode(Problem.Kind.negative.rawValue) }
  }

  private func show(_ detail: FlagDetail) {
    if output.json { return Output.json(detail.json) }
    if value {
      let text = detail.shownValue
      // For a program as it is; eyes are spared what steers their terminal.
      if !text.isEmpty { Output.line(Terminal.output.isTerminal ? Display.oneLine(text) : text) }
      return
    }
    FlagDetail.show([detail])
  }
}
