public import HoistCore

/// When many clients that know nothing of each other, and begin in the same moment, ask a service: in milliseconds since
/// then. Each has a clock and a network of its own.
public struct Herd {
  public static let clients: UInt64 = 1_000
  private var arrivals: [Arrival] = []

  private struct Arrival: Hashable {
    let client: UInt64
    /// Milliseconds, or the number of a span.
    let moment: Int64
  }

  /// - Parameters:
  ///   - outages: when the service does not answer, and streams break.
  ///   - reply: what it answers first; later that nothing has changed. Streams are opened, and say nothing.
  ///   - begin: what one client does; what it gives lives until the end.
  public init(
    milliseconds: Int64, outages: [Range<Int64>] = [], reply: ScriptedTransport.Answer = answer(304),
    begin: (TestHost) throws -> AnyObject
  ) rethrows {
    let arrivals = Locked<[Arrival]>([])
    for seed in 1...Self.clients {
      let host = TestHost(seed: seed, share: nil)
      Self.serve(host, outages, reply) { moment in arrivals.change { $0.append(Arrival(client: seed, moment: moment)) } }
      let client = try begin(host)
      host.time.advance(milliseconds: milliseconds)
      withExtendedLifetime(client) {}
    }
    self.arrivals = arrivals.value
  }

  /// Clients of a service, which begin by themselves.
  public init(
    of factory: any ProviderFactory, _ properties: [String: String], milliseconds: Int64, outages: [Range<Int64>] = [],
    reply: ScriptedTransport.Answer = answer(304)
  ) throws {
    let values = try TestHost.values(properties, table: factory.properties)
    try self.init(milliseconds: milliseconds, outages: outages, reply: reply) { host in
      let provider = try factory.make(values, host)
      provider.start()
      return provider
    }
  }

  private static func serve(
    _ host: TestHost, _ outages: [Range<Int64>], _ reply: ScriptedTransport.Answer, _ note: @escaping @Sendable (Int64) -> Void
  ) {
    let time = host.time
    let begun = time.unixMilliseconds
    // Whether the service answers.
    let ask: @Sendable () -> Bool = {
      let now = time.unixMilliseconds - begun
      note(now)
      return !outages.contains { $0.contains(now) }
    }
    // What is sent, rather than asked for, does not count.
    let isAnswered = Locked(false)
    host.network.setResponder { request in
      if request.method == "POST" { return answer(202) }
      guard ask() else { return noAnswer }
      defer { isAnswered.value = true }
      return isAnswered.value ? answer(304) : reply
    }
    host.network.setStreams { stream in
      guard ask() else { return stream.endStream(TransportFailure(.unreachable, "unreachable")) }
      stream.open()
    }
    for outage in outages {
      _ = time.schedule(afterMilliseconds: outage.lowerBound) { [weak network = host.network] in
        for stream in network?.open ?? [] where stream.isStream { stream.endStream() }
      }
    }
  }

  /// Where more ask within one second or 100 ms than may, in percent of the clients; nothing where all is well.
  /// - Parameter spans: where to look, by name; what a start asks at once, at 0, is asked by all.
  public func crowds(in spans: [(name: String, moments: Range<Int64>)], second: Double = 5, tenth: Double = 1) -> [String] {
    spans.flatMap { span in
      [(1000, second), (100, tenth)].compactMap { (milliseconds: Int64, most: Double) -> String? in
        let (peak, moment) = peak(ofMilliseconds: milliseconds, in: span.moments)
        return peak > 0 && peak <= most
          ? nil : "\(span.name): \(peak) % within \(milliseconds) ms, \(moment) ms after the beginning"
      }
    }
  }

  private func peak(ofMilliseconds length: Int64, in moments: Range<Int64>) -> (percent: Double, moment: Int64) {
    // A client that asks twice within a span is one.
    let found = Set(
      arrivals.lazy.filter { moments.contains($0.moment) }.map { Arrival(client: $0.client, moment: $0.moment / length) })
    var counts: [Int64: Int] = [:]
    for arrival in found { counts[arrival.moment, default: 0] += 1 }
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    return (Double(most?.value ?? 0) * 100 / Double(Self.clients), (most?.key ?? 0) * length)
  }
}

/// The fetches of one of them, from the start on; flags are served all the time.
public final class HerdPolls: FetchDelegate, @unchecked Sendable {
  public let hasFlags = true
  private let loop: FetchLoop

  public init(_ host: TestHost, _ pace: any FetchPace, _ timing: FetchLoop.Timing = .fromEnd) {
    loop = FetchLoop(host: host, pace: pace, options: .init(timing: timing, headerProvider: nil))
    loop.delegate = self
    loop.start()
  }

  public func fetchOutOfTurn() { loop.fetchAgain() }
  public func hold(_ isHeld: Bool) { loop.hold(isHeld, catchesUp: false) }

  public func fetchRequest(of loop: FetchLoop) -> HTTPRequest? { HTTPRequest(method: "GET", url: "http://localhost/flags") }
  public func fetchAnswered(_ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void) {
    switch answer.result {
    case .success: conclude(.ended(.unchanged))
    case .failure(let failure): conclude(.ended(.failed(FetchFailure(.network, failure.message))))
    }
  }
}
