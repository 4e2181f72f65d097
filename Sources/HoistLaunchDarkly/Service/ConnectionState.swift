internal import HoistBase
internal import HoistCore

/// The state of the connection: written on the scheduler's thread, readable from any, stored for the next run (5.8).
final class ConnectionState: ClientPart, @unchecked Sendable {
  /// The vendor's name for it.
  static let storeKey = "com.launchDarkly.ConnectionInformationStore.connectionInformationKey"

  private let host: any ProviderHost
  private let current: LockedValue<(information: ConnectionInformation, source: DataSourceStatus)>
  /// Told of each change of the mode.
  private let observers: ChangeObservers
  private var hasLoaded = false

  init(host: any ProviderHost, observers: ChangeObservers) {
    self.host = host
    self.observers = observers
    current = LockedValue((ConnectionInformation(), DataSourceStatus(sinceUnixMilliseconds: host.clock.unixMilliseconds)))
  }

  var information: ConnectionInformation { current.withLock { $0.information } }
  var dataSource: DataSourceStatus { current.withLock { $0.source } }

  /// Takes over what an earlier run knew, where this one knows nothing yet.
  func start() {
    guard !hasLoaded else { return }
    hasLoaded = true
    host.store.load(Self.storeKey) { [weak self] bytes in
      guard let self, let former = bytes.flatMap({ ConnectionInformation(json: $0) }) else { return }
      self.current.withLock { current in
        let isNew = current.information.lastFailedConnectionUnixMilliseconds == nil
        if isNew {
          current.information.lastFailedConnectionUnixMilliseconds = former.lastFailedConnectionUnixMilliseconds
          current.information.lastFailureReason = former.lastFailureReason
        }
        if current.information.lastKnownFlagValidityUnixMilliseconds == nil, current.information.mode != .streaming {
          current.information.lastKnownFlagValidityUnixMilliseconds = former.lastKnownFlagValidityUnixMilliseconds
        }
      }
    }
  }

  /// A delivery of events was answered with a status that means failure, or, for a cause, not at all. Flags are not concerned.
  func noteFailedDelivery(status: Int?, _ cause: String) {
    note(status.map { .requestFailed(status: $0) } ?? .unreachable(cause), concernsFlags: false)
  }

  func note(_ happening: ConnectionInformation.Happening) { note(happening, concernsFlags: true) }

  private func note(_ happening: ConnectionInformation.Happening, concernsFlags: Bool) {
    let now = host.clock.unixMilliseconds
    let (before, after) = current.withLock { current in
      let before = current.information
      current.information.note(happening, at: now)
      if concernsFlags { current.source.note(happening, at: now) }
      return (before, current.information)
    }
    guard before != after else { return }
    host.store.save(Self.storeKey, after.json)
    if before.mode != after.mode { observers.connectionModeChanged(after.mode.rawValue) }
  }

  /// Data of the service that cannot be used; its connection stays open.
  func noteBadData(_ problem: String, fromPoll: Bool) {
    // The vendor has no reason of its own for a poll that cannot be read: one that is none of the others.
    note(fromPoll ? .unreachable(problem) : .streamFailed)
    failed(.invalidData, problem)
  }

  /// Notes the last failure of the data source.
  func failed(_ kind: DataSourceStatus.ErrorKind, status: Int = 0, _ message: String) {
    let now = host.clock.unixMilliseconds
    current.withLock { $0.source.fail(kind, status: status, message, at: now) }
  }

  /// The client's life is over.
  func stop() {
    note(.goingOffline)
    let now = host.clock.unixMilliseconds
    current.withLock { $0.source.enter(.shutDown, at: now) }
  }

  func abandonAfterFork() { hasLoaded = false }
}

extension DataSourceStatus {
  fileprivate mutating func note(_ happening: ConnectionInformation.Happening, at now: Int64) {
    switch happening {
    case .goingOnline: enter(.initializing, at: now)
    case .goingOffline: enter(.offline, at: now)
    case .flagsArrived, .confirmed: enter(.valid, at: now)
    case .streamLost, .requestFailed, .unreachable: enter(.interrupted, at: now)
    case .streamShutDown, .unauthorized: enter(.shutDown, at: now)
    case .streamFailed, .takingTurns: break
    }
  }
}
