import ArgumentParser

struct ForwardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forward",
    abstract: "Sends what other processes have recorded, until SIGTERM or Ctrl-C.",
    discussion: """
      The other end of processes that send nothing themselves: with events.delivery = forward they leave their events in \
      Redis, and with the plug-in for Kafka as dispatcher in topics. This command brings them to the service, as a client of \
      the library would. It evaluates nothing. Several may run beside each other and share the work; what one that was killed \
      has taken goes to another, of Redis after a minute.

      Passwords come from the environment variables HOIST_REDIS_PASSWORD and HOIST_KAFKA_PASSWORD or a file. Every --every \
      seconds there is a line: events sent per second, sent, refused for good, waiting here, and the age of the oldest of \
      those. Of Kafka it counts records, which are batches of events, and the lag is how many are left in this member's \
      partitions. With --json, one JSON object a line, whose "event" is "started", "figures", "draining" or "ended".

      EXAMPLES
        hoist forward --from redis:cache.example.com --scope unleash:production --url https://flags.example.com/api
        hoist forward --from redis:/run/redis.sock --scope shop --provider optimizely --config my.json --metrics 9464
        hoist forward --from kafka:kafka1:9092,kafka2:9092 --topic hoist.unleash.events --url https://flags.example.com/api

      EXIT STATUS
        0 after SIGTERM or Ctrl-C, when all that was taken is sent; 6 when something is left after --drain-seconds: it stays \
        where it came from. 3 when Redis cannot be reached at the start, or the service refuses the key for good. A broker of \
        Kafka's that is away is said to be, and waited for.
      """)

  @Option(
    help: ArgumentHelp(
      "Where the events are: redis:HOST, redis:HOST:PORT, redis:/PATH/OF/SOCKET or kafka:HOST:PORT,HOST:PORT,….",
      valueName: "source"))
  var from: String

  @Option(
    help: ArgumentHelp("Shared object of the plug-in, where it was not installed with the library.", valueName: "file"),
    completion: .file())
  var plugin: String?

  @OptionGroup(title: "Redis") var redis: RedisOptions
  @OptionGroup(title: "Kafka") var kafka: KafkaOptions
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
      "Of Redis: file to which events that are refused for good are added, with the reason, as lines of JSON. Of Kafka: topic of such records, if not the record's own and \".refused\".",
      valueName: "place"),
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
    let metrics = try metrics.map { try MetricsServer(port: $0) }
    var forwarder = Forwarder(
      source: try source(), report: ForwardReport(isJSON: output.json),
      everyMilliseconds: Moment.milliseconds(ofSeconds: every) ?? 10_000,
      metrics: metrics)
    let isDone = try forwarder.run(drainMilliseconds: Moment.milliseconds(ofSeconds: drainSeconds) ?? 10_000)
    if !isDone { throw ExitCode(Problem.Kind.left.rawValue) }
  }

  private func source() throws -> any ForwardSource {
    if from.hasPrefix("redis:") {
      try refuse(kafka.firstGiven, of: "kafka")
      let address = String(from.dropFirst("redis:".count))
      return try RedisSource(address, redis, plugin: plugin, deadLetters: deadLetters, service: service)
    }
    if from.hasPrefix("kafka:") {
      try refuse(redis.firstGiven, of: "redis")
      let brokers = String(from.dropFirst("kafka:".count))
      return try KafkaSource(brokers, kafka, plugin: plugin, deadLetters: deadLetters, service: service)
    }
    // Behind the colon may be a password.
    throw Problem(
      .usage,
      "--from \(from.prefix { $0 != ":" }): is no source: redis:HOST, redis:HOST:PORT, redis:/PATH/OF/SOCKET or kafka:HOST:PORT,…"
    )
  }

  private func refuse(_ option: String?, of other: String) throws {
    if let option { throw Problem(.usage, "\(option) is an option of --from \(other):…, and means nothing here") }
  }
}
