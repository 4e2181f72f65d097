import CHoist

/// Events that processes with events.delivery = forward have left in Redis. A client of the service takes them over as it does
/// those of processes that have died, and sends them.
final class RedisSource: ForwardSource {
  let place: String
  private let session: Session
  private let startLimit: Int64
  private var startedAt: Int64 = 0
  private var isFailing = false

  init(_ address: String, _ options: RedisOptions, service: ProviderOptions) throws {
    place = "redis:\(address)"
    startLimit = service.timeoutMilliseconds
    let configuration = try service.configuration(for: .forward)
    guard configuration.isOnline else {
      throw Problem(.usage, "forward needs a service to send to: give \(configuration.traits.connectionOptions)")
    }
    let plugin = options.plugin ?? "redis"
    try configuration.addPlugin(plugin, .object(RedisAddress.options(address) + options.members()))
    session = try Session(configuration, isVerbose: service.verbose)
  }

  func start(refused: @escaping (DeadLetter) -> Void) throws {
    startedAt = Moment.monotonicMilliseconds
    try RefusalObserver.add(to: session.client, refused)
  }

  var servicePlace: String { session.place }

  func run(milliseconds: Int32) throws {
    session.dispatch(milliseconds: milliseconds)
    let statistics = self.statistics
    let isFailing = (statistics["store"]?["failures"]?.number ?? 0) > 0 && figures(statistics).sum(\.taken) == 0
    if isFailing, Moment.monotonicMilliseconds - startedAt < startLimit {
      throw Problem(
        .network,
        "\(place): nothing can be taken from it: \(session.log.reason ?? "Redis does not answer"); see the line of hoist-redis")
    }
    if Int(session.state) == HOIST_CLIENT_FATAL {
      throw Problem(.network, "\(session.place): \(session.reason() ?? "the service refuses this client")")
    }
  }

  var figures: ForwardFigures { figures(statistics) }

  private var statistics: JSON {
    LibraryText(hoist_client_statistics(session.client)).flatMap { JSON(parsing: $0) } ?? .null
  }

  /// Every group that counts deliveries is a queue.
  private func figures(_ statistics: JSON) -> ForwardFigures {
    let queues = (statistics.members ?? []).filter { $0.value["adopted"] != nil }
    return ForwardFigures(
      queues: queues.map { name, counters in
        func count(_ name: String) -> Double { counters[name]?.number ?? 0 }
        return ForwardFigures.Queue(
          name: name, taken: count("adopted"), sent: count("delivered"), refused: count("rejected"), expired: count("expired"),
          forgotten: count("purged"), retried: count("retried"), waiting: count("waiting") + count("in_flight"),
          oldestMilliseconds: count("oldest_ms"))
      })
  }

  func drain(milliseconds: Int64) -> Bool {
    // Close waits on this thread; what observers are told then comes with the last dispatch.
    let status = hoist_client_close(session.client, milliseconds)
    session.dispatch(milliseconds: 0)
    return status == HOIST_OK
  }
}
