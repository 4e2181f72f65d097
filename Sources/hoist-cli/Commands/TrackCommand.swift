import ArgumentParser
import CHoist

struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Sends an event, and waits until the service has accepted it.",
    discussion: """
      EXAMPLES
        hoist track purchase --url https://flags.example.com/api/frontend
        hoist track purchase --value 19.9 --property currency=EUR --config my.json
        hoist track checkout --provider flagship --config my.json --user anna --hit screen
        hoist track T-17 --hit transaction --property affiliation=shop --property revenue:=19.9 --config my.json --user anna

      EXIT STATUS
        2 when the service has no such event or cannot carry what goes with it; 3 when the service does not accept it.
      """)

  @Argument(help: "Name of the event; of a screen, the URL of a page, the id of a transaction.")
  var event: String

  @Option(help: ArgumentHelp("A number that goes with it.", valueName: "number"))
  var value: Double?

  @Option(
    name: .customLong("property"),
    help: ArgumentHelp("A text that goes with it, or with := a number or other JSON; may be repeated.", valueName: "name=value"))
  var properties: [String] = []

  @Option(
    help: ArgumentHelp("Flagship: what is sent, \(FlagshipHit.kinds.joined(separator: ", ")).", valueName: "kind"),
    completion: .list(FlagshipHit.kinds))
  var hit: String?

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let value, !value.isFinite { throw ValidationError("--value \(value) is no number") }
    if let hit, !FlagshipHit.kinds.contains(hit) { throw ValidationError("--hit \(hit) is no kind of hit") }
    if hit != nil, value != nil { throw ValidationError("--value is not for hits: use --property value:= or revenue:=") }
    if event.isEmpty { throw ValidationError("the event has no name") }
  }

  func run() throws {
    let configuration = try service.configuration(for: .report)
    guard configuration.isOnline else {
      throw Problem(.usage, "track needs a service to send to: give \(configuration.traits.connectionOptions)")
    }
    let properties = try properties.map(TrackedProperties.parse)
    let given = try context.read(for: configuration.traits)
    let session = try Session(configuration, for: given, isVerbose: service.verbose)
    if configuration.traits.inventsSubject, given.targetingKey == nil {
      Output.error("hoist: no --user is given: the event is of a visitor made up for it")
    }
    let lack = missingFlags(session)
    session.log.clear()
    let status =
      try hit.map { try configuration.traits.record($0, event, properties, through: session, for: given) }
      ?? TrackedProperties(properties).withTable(value: value) { hoist_client_track(session.client, event, given.handle, $0) }
    guard status == HOIST_OK || status == HOIST_ERR_UNSAVED else {
      let why = session.reason() ?? String(cString: hoist_status_name(status))
      throw lack ?? Problem(Problem.kind(of: status), "event \"\(event)\" is refused: \(why)")
    }
    try session.deliver(untilMilliseconds: Moment.monotonicMilliseconds + service.timeoutMilliseconds, event: event)
    say()
  }

  /// Some services need flags to make an event of what is tracked; what others are told goes out without them.
  private func missingFlags(_ session: Session) -> Problem? {
    do {
      try session.waitForFlags(limitMilliseconds: service.timeoutMilliseconds)
      return nil
    } catch {
      return error as? Problem
    }
  }

  private func say() {
    guard output.json else { return Output.line(Display.oneLine("\(event): accepted by the service")) }
    Output.json(["event": .string(event), "accepted": true])
  }
}
