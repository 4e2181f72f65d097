import ArgumentParser

struct ForwardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forward",
    abstract: "Sends what other processes have recorded, until SIGTERM or Ctrl-C.",
    discussion: """
      The other end of processes that send nothing themselves: with events.delivery = forward they leave their events in \
      Redis, and this command brings them to the service, as a client of the library would. It evaluates nothing. Several \
      may run beside each other and share the work; what one that was killed has taken goes to another after a minute.

      Redis' password comes from the environment variable HOIST_REDIS_PASSWORD or a file. Every --every seconds there is a \
      line: events sent per second, sent, refused for good, waiting here, and the age of the oldest of those. With --json, \
      one JSON object a line, whose "event" is "started", "figures" or "ended".

      EXAMPLES
        hoist forward --from redis:cache.example.com --scope unleash:production --url https://flags.example.com/api
        hoist forward --from redis:/run/redis.sock --scope shop --provider optimizely --config my.json --metrics 9464

      EXIT STATUS
        0 after SIGTERM or Ctrl-C, when all that was taken is sent; 6 when something is left after --drain-seconds: it stays \
        where it came from. 3 when Redis cannot be reached at the start, or the service refuses the key for good.
      """)

  @Option(help: ArgumentHelp("Where the events are: redis:HOST, redis:HOST:PORT or redis:/PATH/OF/SOCKET.", valueName: "source"))
  var from: String

  @OptionGroup(title: "Redis") var redis: RedisOptions
  @OptionGroup(title: "Service") var service: ProviderOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Seconds between lines.", valueName: "seconds"))
  var every = 10.0

  @Option(help: ArgumentHelp("Longest time to send what was taken, after SIGTERM.", valueName: "seconds"))
  var drainSeconds = 10.0

  @Option(help: ArgumentHelp("Port of this machine for a page that Prometheus reads; 0 for any that is free.", valueName: "port"))
  var metrics: Int?

  @Option(
    help: ArgumentHelp(
      "File to which events that are refused for good are added, with the reason, as lines of JSON.", valueName: "file"),
    completion: .file())
  var deadLetters: String?

  func validate() throws {
    for (name, seconds) in [("every", every), ("drain-seconds", drainSeconds)]
    where Moment.milliseconds(ofSeconds: seconds) == nil {
      throw ValidationError("--\(name) \(seconds) is no number of seconds between 0.001 and a year")
    }
    if let metrics, !(0...65_535).contains(metrics) { throw ValidationError("--metrics \(metrics) is no port") }
  }

  func run() throws {
    Interrupt.catchIt(orTermination: true)
    let deadLetters = try deadLetters.map { try DeadLetterFile($0) }
    let metrics = try metrics.map { try MetricsServer(port: $0) }
    var forwarder = Forwarder(
      source: try source(), report: ForwardReport(isJSON: output.json),
      everyMilliseconds: Moment.milliseconds(ofSeconds: every) ?? 10_000,
      metrics: metrics, deadLetters: deadLetters)
    let isDone = try forwarder.run(drainMilliseconds: Moment.milliseconds(ofSeconds: drainSeconds) ?? 10_000)
    if !isDone { throw ExitCode(Problem.Kind.left.rawValue) }
  }

  private func source() throws -> any ForwardSource {
    guard from.hasPrefix("redis:") else {
      // Behind the colon may be a password.
      let kind = from.prefix { $0 != ":" }
      throw Problem(.usage, "--from \(kind): is no source: redis:HOST, redis:HOST:PORT or redis:/PATH/OF/SOCKET")
    }
    return try RedisSource(String(from.dropFirst("redis:".count)), redis, service: service)
  }
}
