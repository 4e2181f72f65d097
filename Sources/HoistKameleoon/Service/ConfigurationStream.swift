internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Real-time events: the service says when there is a new configuration (2.4). A connection that ends, however it does, is
/// opened again after a pause, for ever. On the scheduler's thread.
final class ConfigurationStream: @unchecked Sendable {
  private static let basePauseMilliseconds: Int64 = 3000
  private static let greatestPauseMilliseconds: Int64 = 60_000
  /// A connection that was good for so long makes up for what failed before it.
  private static let healthyMilliseconds: Int64 = 60_000
  private static let maximumEventBytes = 64 * 1024
  private static let updateEvent = "configuration-update-event"

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let address: String
  private let stream: EventStream
  /// Asks for the configuration of that time; nil for any.
  var updated: (Int64?) -> Void = { _ in }

  private(set) var isRunning = false
  private var failedConnections = 0
  private var latestTimestamp = Int64.min
  /// Events may have been missed while there was no connection.
  private var mayHaveMissed = false

  init(host: any ProviderHost, settings: KameleoonSettings, address: String) {
    self.host = host
    self.settings = settings
    self.address = address
    stream = EventStream(host: host, transport: host.transport, maximumEventBytes: Self.maximumEventBytes)
    stream.delegate = self
  }

  var isOpen: Bool { isRunning && stream.openMilliseconds != nil }

  /// Harmless while it runs.
  func start() {
    guard !isRunning else { return }
    isRunning = true
    mayHaveMissed = false
    stream.open()
  }

  func stop() {
    isRunning = false
    stream.close()
  }

  func abandonAfterFork() {
    isRunning = false
    stream.abandonAfterFork()
  }

  /// The vendor's pause, longer with each connection that was of no use, and never the same for all clients.
  private func reconnect() {
    mayHaveMissed = true
    let doubled = Self.basePauseMilliseconds << Int64(min(failedConnections, 5))
    failedConnections += 1
    let pause = min(doubled, Self.greatestPauseMilliseconds)
    stream.reopen(afterMilliseconds: pause + host.entropy.number(in: 0...pause / 4))
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

  func streamOpened() {
    guard mayHaveMissed else { return }
    mayHaveMissed = false
    updated(nil)
  }

  /// An event that is older than one seen before says nothing new.
  func streamReceived(_ event: ServerSentEvent) {
    guard event.type == Self.updateEvent else { return }
    guard let timestamp = Self.timestamp(of: event) else {
      host.log.warning("a real-time event without a time stamp; the configuration is fetched")
      return updated(nil)
    }
    guard timestamp >= latestTimestamp else { return }
    latestTimestamp = timestamp
    updated(timestamp)
  }

  func streamEnded(_ end: EventStreamEnd, openMilliseconds: Int64?) {
    guard isRunning else { return }
    if let openMilliseconds, openMilliseconds >= Self.healthyMilliseconds { failedConnections = 0 }
    switch end {
    case .refused(let head): host.log.warning("real-time events: the service answered \(head.status)")
    case .tooLarge(let error): host.log.warning("real-time events: the stream exceeds a limit: \(error)")
    case .closed(let failure): host.log.info("real-time events: \(failure?.message ?? "the service closed the stream")")
    }
    reconnect()
  }

  private static func timestamp(of event: ServerSentEvent) -> Int64? {
    guard let document = try? JSONDocument(parsing: event.data) else { return nil }
    return document.withRoot { $0["ts"]?.int64 }
  }
}
