internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Real-time events: the service says when there is a new configuration (2.4). A connection that ends, for any reason,
/// is opened again after a pause, without limit. On the scheduler's thread.
final class ConfigurationStream: @unchecked Sendable {
  private static let maximumEventBytes = 64 * 1024
  private static let updateEvent = "configuration-update-event"

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let address: String
  private let stream: EventStream
  weak var source: SiteSource?

  private(set) var isRunning = false
  /// The vendor's pause, longer with each connection that was of no use.
  private var pace = ReconnectPace(base: 3000, cap: 60_000, spread: 1...1.25)
  /// Of the newest event; never ahead of this machine's clock, so that no event keeps those after it from being heard.
  private var latestTimestamp = Int64.min

  init(host: any ProviderHost, settings: KameleoonSettings, address: String) {
    self.host = host
    self.settings = settings
    self.address = address
    stream = EventStream(host: host, transport: host.transport, maximumEventBytes: Self.maximumEventBytes)
    stream.delegate = self
  }

  /// Harmless while it runs.
  func start() {
    guard !isRunning else { return }
    isRunning = true
    stream.open()
  }

  func stop() {
    isRunning = false
    stream.close()
    source?.streamIsOpen(false)
  }

  func abandonAfterFork() {
    isRunning = false
    stream.abandonAfterFork()
    source?.streamIsOpen(false)
  }
}

extension ConfigurationStream: EventStreamDelegate {
  var streamAddress: String? { isRunning ? URLText.redacted(address) : nil }

  func streamRequest(lastEventID: String, dynamic: [HTTPHeader]) -> HTTPRequest? {
    var request = HTTPRequest(
      method: "GET", url: address,
      headers: [
        HTTPHeader("Accept", "text/event-stream"), HTTPHeader("Cache-Control", "no-cache"),
        HTTPHeader("Connection", "Keep-Alive"),
      ])
    for header in dynamic { request.headers.set(header.name, header.value) }
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    return request
  }

  func streamAccepts(_ head: HTTPResponse) -> Bool { head.status == 200 }

  /// No event tells of what has changed between the last fetch and now.
  func streamOpened() {
    source?.streamIsOpen(true)
    source?.hear(at: nil)
  }

  /// An event that is older than one seen before says nothing new. Time stamps of the future are not remembered as such (2.4).
  func streamReceived(_ event: ServerSentEvent) {
    guard event.type == Self.updateEvent else { return }
    guard let timestamp = Self.timestamp(of: event) else {
      host.log.warning("a real-time event without a time stamp; the configuration is fetched")
      source?.hear(at: nil)
      return
    }
    let now = host.clock.unixMilliseconds
    if TimeStamps.isTooFarAhead(timestamp, now: now) {
      host.log.warning(
        "real-time events: one is dated more than a day ahead of this machine's clock; the configuration is fetched")
    }
    guard timestamp >= latestTimestamp else { return }
    latestTimestamp = min(timestamp, now)
    source?.hear(at: timestamp)
  }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    guard isRunning else { return }
    source?.streamIsOpen(false)
    switch end {
    case .refused(let head): host.log.warning("real-time events: the service answered \(head.status)")
    case .tooLarge(let error): host.log.warning("real-time events: the stream exceeds a limit: \(error)")
    case .closed(let failure): host.log.info("real-time events: \(failure?.message ?? "the service closed the stream")")
    }
    stream.reopen(afterMilliseconds: pace.nextMilliseconds(openMilliseconds: openMilliseconds, host.entropy))
  }

  private static func timestamp(of event: ServerSentEvent) -> Int64? {
    guard let document = try? JSONDocument(parsing: event.data) else { return nil }
    return document.withRoot { $0["ts"]?.int64 }
  }
}
