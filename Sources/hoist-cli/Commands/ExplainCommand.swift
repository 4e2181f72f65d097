import ArgumentParser

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows step by step why a flag is as it is.",
    discussion: """
      Each step is a sentence; --json has them as the library records them. Where the service evaluates, the steps are its \
      secret. What is given and means nothing to the service is told of on standard error.

      EXAMPLES
        hoist explain banner --features features.json --context user.json
        hoist explain banner --features features.json --user user-42 --json
        hoist explain banner --provider kameleoon --features site.json --user u --data '{"type":"Device","device":"PHONE"}'
        hoist explain banner --provider optimizely --datafile datafile.json --user u --segment newsletter
        echo '{"userId":"7"}' | hoist explain banner --features f.json --context -
      """)

  @Argument(help: "Key of the flag.")
  var flag: String

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(looking: service, for: context)
    let detail = try session.evaluate(flag, isExplained: true)
    output.json ? Output.json(detail.json) : show(detail, session.configuration.traits)
    for name in detail.explanation.list("ignored") { Output.error("hoist: attribute \(name.text) means nothing to the service") }
    try detail.end()
  }

  private func show(_ detail: FlagDetail, _ traits: any ProviderTraits) {
    FlagDetail.show([detail])
    guard !detail.explanation.isNull else { return }
    Output.line("")
    for line in Step.lines(of: traits.steps(of: detail.explanation), hasColor: Terminal.output.hasColor) { Output.line(line) }
  }
}
