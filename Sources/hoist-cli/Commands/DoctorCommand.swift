import ArgumentParser

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Finds out why it does not work: versions, store, key, addresses, service, clock.",
    discussion: """
      EXAMPLES
        hoist doctor
        hoist doctor --url https://flags.example.com/api/frontend --timeout 5

      EXIT STATUS
        1 when the service cannot be used, 4 when the configuration or this machine is at fault.
      """)

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    // The store is asked of a program's configuration: the tool itself keeps nothing.
    let program = try service.keyless(for: .show)
    let configuration = try service.keyless(for: .look)
    let checks =
      try Check.libraries() + [Check.key(configuration, service), Check.store(program), Check.clock()]
      + Check.settings(configuration) + Check.service(configuration, service, context)
    show(checks)
    guard checks.contains(where: { $0.outcome == .failed }) else { return }
    let isService = checks.allSatisfy { $0.outcome != .failed || $0.name == "service" }
    throw ExitCode((isService ? Problem.Kind.negative : .configuration).rawValue)
  }

  private func show(_ checks: [Check]) {
    if output.json {
      return Output.json([
        "ok": .bool(!checks.contains { $0.outcome == .failed }), "checks": .array(checks.map(\.json)),
      ])
    }
    var table = Table(["CHECK", "OUTCOME", "DETAILS"])
    for check in checks { table.add(check.cells) }
    table.show()
  }
}
