import CHoist
import CHoistKafka
import Synchronization

/// Batches that processes with libhoist-kafka.so for a dispatcher have left in topics. The plug-in reads them on a thread of its
/// own, as a member of a consumer group, and has a client of the service deliver them.
final class KafkaSource: ForwardSource {
  private static let troubleMilliseconds: Int64 = 10_000

  private final class Count: Sendable {
    let value = Atomic<Int>(0)
  }

  let place: String
  private let session: Session
  private let plugin: KafkaPlugin
  private let options: JSON
  private var member: OpaquePointer?
  private var last = KafkaPlugin.noFigures
  private let retried = Count()
  private var told = (text: "", at: Int64.min)

  init(_ brokers: String, _ options: KafkaOptions, plugin: String?, deadLetters: String?, service: ProviderOptions) throws {
    place = "kafka:\(brokers)"
    self.options = try options.members(brokers, deadLetters: deadLetters)
    self.plugin = try KafkaPlugin(plugin)
    session = try Session(forwarding: service) {
      // What the processes' file says of their dispatcher is not for this client.
      try $0.setPlugin("kafka", nil)
      // Nothing comes while the end is waited for on this thread, unless it comes on another.
      try $0.set("dispatch", "automatic", from: "dispatch")
    }
  }

  deinit { _ = drain(milliseconds: 0) }

  var servicePlace: String { session.place }

  func start() throws {
    let retried = retried
    try FailureObserver.add(to: session.client) {
      if hoist_notification_status($0) != HOIST_ERR_REJECTED { retried.value.add(1, ordering: .relaxed) }
    }
    do { member = try plugin.start(session.client, options) } catch let problem as Problem {
      throw Problem(problem.kind, "\(place): \(problem.message)")
    }
  }

  func run(milliseconds: Int32) throws {
    session.dispatch(milliseconds: milliseconds)
    if let member { last = plugin.figures(member) }
    tellTrouble()
    try session.expectAttempts()
  }

  /// In the words of librdkafka's, which differ from attempt to attempt: so not each of them.
  private func tellTrouble() {
    let (text, now) = (KafkaPlugin.trouble(last), Moment.monotonicMilliseconds)
    guard !text.isEmpty, text != told.text, told.text.isEmpty || now - told.at >= Self.troubleMilliseconds else { return }
    told = (text, now)
    Output.error("hoist: \(place): \(text)")
  }

  var figures: ForwardFigures {
    let queue = ForwardFigures.Queue(
      name: options["topic"]?.string ?? "", taken: Double(last.received), sent: Double(last.accepted),
      refused: Double(last.refused), retried: Double(retried.value.load(ordering: .relaxed)), waiting: Double(last.waiting),
      lag: Double(last.lag))
    return ForwardFigures(unit: .records, queues: [queue])
  }

  func drain(milliseconds: Int64) -> Bool {
    guard let member else { return true }
    self.member = nil
    let end = plugin.stop(member, milliseconds: milliseconds)
    last = end.figures
    return end.isDone
  }
}
