import ArgumentParser

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows step by step why a flag is as it is.",
    discussion: """
      Where the service evaluates, the steps are its secret.

      EXAMPLES
        hoist explain banner --features features.json --context user.json
        hoist explain banner --features features.json --user user-42 --json
        echo '{"userId":"7"}' | hoist explain banner --features f.json --context -
      """)

  @Argument(help: "Key of the flag.")
  var flag: String

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let configuration = try service.configuration(for: .look)
    let session = try Session(configuration, for: context.read(for: configuration.traits), isVerbose: service.verbose)
    try session.waitForFlags(limitMilliseconds: service.timeoutMilliseconds)
    let detail = try session.evaluate(flag, isExplained: true)
    output.json ? Output.json(detail.json) : show(detail)
    try detail.end()
  }

  private func show(_ detail: FlagDetail) {
    FlagDetail.show([detail])
    guard !detail.explanation.isNull else { return }
    Output.line("")
    for line in StepTree.lines(of: detail.explanation, hasColor: Terminal.output.hasColor) { Output.line(line) }
  }
}
