import CHoist

/// Events that processes with events.delivery = forward have left in Redis. A client of the service takes them over as it does
/// those of processes that have died, and sends them.
final class RedisSource: ForwardSource {
  let place: String
  private let session: Session
  private let deadLetters: DeadLetterFile?
  private let startLimit: Int64
  private var startedAt: Int64 = 0

  init(_ address: String, _ options: RedisOptions, plugin: String?, deadLetters: String?, service: ProviderOptions) throws {
    place = "redis:\(address)"
    startLimit = service.timeoutMilliseconds
    self.deadLetters = try deadLetters.map { try DeadLetterFile($0) }
    session = try Session(forwarding: service) {
      try $0.setPlugin(plugin ?? "redis", .object(RedisAddress.options(address) + options.members()))
    }
  }

  func start() throws {
    startedAt = Moment.monotonicMilliseconds
    let deadLetters = deadLetters
    try FailureObserver.add(to: session.client) {
      if hoist_notification_status($0) == HOIST_ERR_REJECTED { deadLetters?.add(DeadLetter($0)) }
    }
  }

  var servicePlace: String { session.place }

  func run(milliseconds: Int32) throws {
    session.dispatch(milliseconds: milliseconds)
    let statistics = session.statistics
    let isFailing = (statistics["store"]?["failures"]?.number ?? 0) > 0 && figures(statistics).sum(\.taken) == 0
    if isFailing, Moment.monotonicMilliseconds - startedAt < startLimit {
      throw Problem(
        .network,
        "\(place): nothing can be taken from it: \(session.log.reason ?? "Redis does not answer"); see the line of hoist-redis")
    }
    try session.expectAttempts()
  }

  var figures: ForwardFigures { figures(session.statistics) }

  /// Every group that counts deliveries is a queue.
  private func figures(_ statistics: JSON) -> ForwardFigures {
    let queues = (statistics.members ?? []).filter { $0.value["adopted"] != nil }
    return ForwardFigures(
      unit: .events,
      queues: queues.map { name, counters in
        func count(_ name: String) -> Double { counters[name]?.number ?? 0 }
        return ForwardFigures.Queue(
          name: name, taken: count("adopted"), sent: count("delivered"), refused: count("rejected"), expired: count("expired"),
          forgotten: count("purged"), retried: count("retried"), waiting: count("waiting") + count("in_flight"),
          lag: count("oldest_ms") / 1000)
      })
  }

  func drain(milliseconds: Int64) -> Bool {
    // Close waits on this thread; what observers are told then comes with the last dispatch.
    let status = hoist_client_close(session.client, milliseconds)
    session.dispatch(milliseconds: 0)
    return status == HOIST_OK
  }
}
