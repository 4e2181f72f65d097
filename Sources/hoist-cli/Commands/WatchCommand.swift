import ArgumentParser
import CHoist

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Shows changes of flags as they happen, until Ctrl-C.",
    discussion: """
      A flag that is named and does not exist is told of, and waited for. Where the client hears of nothing by itself, the \
      service is asked every ten seconds, or as --every says. Each change is a line with the old and the new value. Counts nothing at the service. With --json, one JSON \
      object a line, whose "event" is "ready", "changed" (the flag now, and as it was before), "mode" (how a \
      LaunchDarkly client is connected), "state", "error", "recovered" or "unknown" (a named flag that does not exist).

      EXAMPLES
        hoist watch --url https://flags.example.com/api --set mode=backend
        hoist watch banner --url https://flags.example.com/api/frontend --count 1
        hoist watch --url https://flags.example.com/api/frontend --for 60 --json
        hoist watch --provider launchdarkly --mobile-key mob-KEY --context '{"kind":"user","key":"user-42"}'

      EXIT STATUS
        1 when --for is over before --count changes were seen; 3 when the service refuses the key for good, also later.
      """)

  @Argument(help: "Keys of the flags to watch; all when none is named.")
  var flags: [String] = []

  @OptionGroup(title: "Context") var context: ContextOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Ends after so many changes.", valueName: "number"))
  var count: Int?

  @Option(name: .customLong("for"), help: ArgumentHelp("Ends after so many seconds.", valueName: "seconds"))
  var seconds: Double?

  @Option(help: ArgumentHelp("Asks the service so often where it tells of no changes by itself.", valueName: "seconds"))
  var every = 10.0

  func validate() throws {
    if Moment.milliseconds(ofSeconds: every) == nil {
      throw ValidationError("--every \(every) is no number of seconds between 0.001 and a year")
    }
    if let count, count < 1 { throw ValidationError("--count \(count) is less than 1") }
    if let seconds, Moment.milliseconds(ofSeconds: seconds) == nil {
      throw ValidationError("--for \(seconds) is no number of seconds between 0.001 and a year")
    }
  }

  func run() throws {
    Interrupt.catchIt()
    let configuration = try service.configuration(for: .look)
    guard configuration.isOnline else {
      throw Problem(.usage, "watch needs a service to follow: give \(configuration.traits.connectionOptions)")
    }
    let session = try Session(configuration, for: context.read(for: configuration.traits), isVerbose: service.verbose)
    let watch = Watch(session, flags: flags, isJSON: output.json)
    try watch.begin()
    let deadline = seconds.flatMap { Moment.milliseconds(ofSeconds: $0) }.map { Moment.monotonicMilliseconds + $0 }
    let pause = configuration.traits.followsByItself(configuration) ? nil : Moment.milliseconds(ofSeconds: every)
    var next = Moment.monotonicMilliseconds + (pause ?? 0)
    var progress = Progress("waiting for \(session.place)")
    defer { progress.end() }
    while !Interrupt.isSeen {
      session.dispatch(milliseconds: 50)
      if let pause, Moment.monotonicMilliseconds >= next {
        _ = hoist_client_refresh(session.client)
        next = Moment.monotonicMilliseconds + pause
      }
      if watch.hasSpoken { progress.end() } else { progress.tick() }
      try watch.checkState()
      if let count, watch.changes >= count { return }
      if let deadline, Moment.monotonicMilliseconds >= deadline {
        if count != nil { throw ExitCode(Problem.Kind.negative.rawValue) }
        return
      }
    }
  }
}
