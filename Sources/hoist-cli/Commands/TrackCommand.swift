import ArgumentParser
import CHoist
import HoistJSON

struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Sends an event, and waits until the service has accepted it.",
    discussion: """
      EXAMPLES
        hoist track purchase --url https://flags.example.com/api/frontend
        hoist track purchase --value 19.9 --property currency=EUR --config my.json
      """)

  @Argument(help: "Name of the event.")
  var event: String

  @Option(help: ArgumentHelp("A number that goes with it.", valueName: "number"))
  var value: Double?

  @Option(
    name: .customLong("property"),
    help: ArgumentHelp("A text that goes with it, or with := a number; may be repeated.", valueName: "name=value"))
  var properties: [String] = []

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let value, !value.isFinite { throw ValidationError("--value \(value) is no number") }
    if event.isEmpty { throw ValidationError("the event has no name") }
  }

  func run() throws {
    let configuration = try service.configuration(for: .report)
    guard configuration.isOnline else {
      throw Problem(.configuration, "track needs a service to send to: give \(configuration.traits.connectionOptions)")
    }
    let tracked = TrackedProperties(try properties.map(TrackedProperties.parse))
    let given = try context.read(for: configuration.traits)
    let session = try Session(configuration, for: given, isVerbose: service.verbose)
    let deadline = Moment.monotonicMilliseconds + service.timeoutMilliseconds
    try session.waitForFlags(limitMilliseconds: service.timeoutMilliseconds)
    let status = tracked.withTable(value: value) { hoist_client_track(session.client, event, given.handle, $0) }
    guard status == HOIST_OK || status == HOIST_ERR_UNSAVED else {
      throw Problem(Problem.kind(of: status), "event \"\(event)\": is not recorded (\(String(cString: hoist_status_name(status))))")
    }
    try session.deliver(untilMilliseconds: deadline, event: event)
    say()
  }

  private func say() {
    guard output.json else { return Output.line(Display.oneLine("\(event): accepted by the service")) }
    Output.json { writer in
      writer.object { writer in
        writer.member("event", event)
        writer.member("accepted", true)
      }
    }
  }
}
