internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Reports to the vendor of how the SDK is used and of what goes wrong (protocols/flagship.md 6.4; FS-25, FS-203): sent
/// once, never stored, never retried. Any thread.
final class Telemetry: ClientPart, @unchecked Sendable {
  /// Set to anything but "" or "0", it ends usage reports of every client of the process.
  static let optOutVariable = "HOIST_NO_USAGE_TRACKING"
  /// Reports under way at once; further ones are dropped and counted.
  private static let maximumUnderWay = 20

  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let account: AccountSettingsHolder
  private let requests: OutgoingRequests
  private let tracksUsage: Bool
  /// Of this client, in every report of it.
  private let instanceID: String
  private let sessionID: String
  private let counters = LockedValue(Counters())
  private let startedMilliseconds = LockedValue<Int64>(0)
  private let today = LockedValue(Sampling.Day(at: 0))

  private struct Counters {
    var sent: Int64 = 0
    var dropped: Int64 = 0
  }

  init(host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, account: AccountSettingsHolder) {
    self.host = host
    self.settings = settings
    self.status = status
    self.account = account
    requests = OutgoingRequests(host: host)
    tracksUsage = settings.tracksUsage && !Self.isOptedOut
    instanceID = UUIDv4(from: host.entropy).text
    sessionID = UUIDv4(from: host.entropy).text
  }

  private static var isOptedOut: Bool {
    guard let value = Environment.value(optOutVariable) else { return false }
    return !value.isEmpty && value != "0"
  }

  // MARK: Usage

  /// A fetch of a visitor has ended.
  func fetched(_ state: VisitorState) {
    usage(of: state.identity.visitorID)
    report(.fetchCampaigns, of: state)
  }

  /// A visitor fetches: about two in a thousand visitors are reported, each day others.
  func usage(of visitorID: [UInt8]) {
    guard tracksUsage, host.isOnline else { return }
    let now = host.clock.unixMilliseconds
    let today = today.withLock { today in
      today.follow(now)
      return today
    }
    guard Sampling.isUsageWanted(of: visitorID, on: today) else { return }
    let facts = ClientFacts(
      settings: settings, status: status.current, plugins: host.plugins, hearsOfExposures: status.hearsOfExposures,
      startedMilliseconds: startedMilliseconds.withLock { $0 })
    send(.usage, "SDK_CONFIG", facts.values)
  }

  // MARK: Troubleshooting

  func identityChanged(_ state: VisitorState, isAuthenticated: Bool) {
    report(isAuthenticated ? .authenticate : .unauthenticate, of: state)
  }

  /// Whether any report is wanted; costs nothing to ask.
  @inline(__always)
  var isAsked: Bool { account.asksForReports }

  /// Costs nothing while no reports are wanted.
  /// - Parameters:
  ///   - visitor: nil for what concerns the SDK as a whole.
  ///   - more: asked for only when the report is sent.
  @inline(never)
  func report(_ label: TroubleshootingLabel, of visitor: VisitorState?, _ more: () -> [(String, String)] = { [] }) {
    guard account.asksForReports, let window = account.current.troubleshooting, host.isOnline else { return }
    let now = host.clock.unixMilliseconds
    guard window.startMilliseconds < now, now < window.endMilliseconds, visitor?.hasConsented ?? true else { return }
    guard Sampling.isTroubleshootingWanted(of: visitor?.identity.visitorID ?? Array(sessionID.utf8), in: window) else { return }
    var values = visitor?.told(sessionID: sessionID) ?? []
    values += more()
    send(.troubleshooting, label.rawValue, values)
  }

  // MARK: Sending

  private enum Kind {
    case usage, troubleshooting
  }

  private func send(_ kind: Kind, _ label: String, _ more: [(String, String)]) {
    let body = TelemetryBody(
      settings: settings, instanceID: instanceID, sessionID: sessionID, unixMilliseconds: host.clock.unixMilliseconds
    ).json(isUsage: kind == .usage, label: label, more)
    let url = kind == .usage ? settings.addresses.usage : settings.addresses.troubleshooting
    let request = ServiceRequest(settings).post(url, body: body)
    host.scheduler.post { [self] in
      guard requests.count < Self.maximumUnderWay else { return counters.withLock { $0.dropped &+= 1 } }
      counters.withLock { $0.sent &+= 1 }
      requests.send(request) { _ in }
    }
  }

  // MARK: Life, on the scheduler's thread

  func start() {
    host.scheduler.assertCurrent()
    let now = host.clock.unixMilliseconds
    startedMilliseconds.withLock { $0 = now }
  }

  func stop() { requests.cancelAll() }
  func abandonAfterFork() { requests.abandonAfterFork() }

  var statistics: [(group: String, name: String, value: Int64)] {
    let counters = counters.withLock { $0 }
    return [("telemetry", "sent", counters.sent), ("telemetry", "dropped", counters.dropped)]
  }
}
