import ArgumentParser
import CHoist

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Shows changes of flags as they happen, until Ctrl-C.",
    discussion: """
      Each change is a line with the old and the new value. Counts nothing at the service. With --json, one JSON \
      object a line, whose "event" is "ready", "changed" (the flag now, and as it was before), "mode" (how a \
      LaunchDarkly client is connected), "state", "error" or "recovered".

      EXAMPLES
        hoist watch --url https://flags.example.com/api --set mode=backend
        hoist watch banner --url https://flags.example.com/api/frontend --count 1
        hoist watch --url https://flags.example.com/api/frontend --for 60 --json
        hoist watch --provider launchdarkly --mobile-key mob-… --context '{"kind":"user","key":"user-42"}'

      EXIT STATUS
        1 when --for is over before --count changes were seen; 3 when the service refuses the key.
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

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count \(count) is less than 1") }
    if let seconds, Moment.milliseconds(ofSeconds: seconds) == nil {
      throw ValidationError("--for \(seconds) is no number of seconds between 0.001 and a year")
    }
  }

  func run() throws {
    Interrupt.catchIt()
    let configuration = try service.configuration(for: .look)
    guard configuration.isOnline else {
      throw Problem(.configuration, "watch needs a service to follow: give \(configuration.traits.connectionOptions)")
    }
    let session = try Session(configuration, for: context.read(for: configuration.traits), isVerbose: service.verbose)
    let watch = Watch(session, flags: flags, isJSON: output.json)
    try watch.begin()
    let deadline = seconds.flatMap { Moment.milliseconds(ofSeconds: $0) }.map { Moment.monotonicMilliseconds + $0 }
    var progress = Progress("waiting for \(session.place)")
    defer { progress.end() }
    while !Interrupt.isSeen {
      session.dispatch(milliseconds: 50)
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
