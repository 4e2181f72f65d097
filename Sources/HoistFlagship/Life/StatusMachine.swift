internal import HoistBase
internal import HoistCore
internal import Synchronization

/// The SDK's status, for readers that must not wait; it may outlive the client.
final class StatusCell: Sendable {
  private let value = Atomic<Int32>(SDKStatus.notInitialized.rawValue)

  @inline(__always)
  var current: SDKStatus { SDKStatus(rawValue: value.load(ordering: .relaxed)) ?? .notInitialized }

  /// - Returns: what it was.
  fileprivate func exchange(_ status: SDKStatus) -> SDKStatus {
    SDKStatus(rawValue: value.exchange(status.rawValue, ordering: .relaxed)) ?? .notInitialized
  }
}

/// The SDK's status, and who observes the client (protocols/flagship.md 5.1; FS-12, FS-38 to FS-42). Read on any thread;
/// changed on the scheduler's.
final class StatusMachine: ClientPart, @unchecked Sendable {
  static let panicMessage = "the service says panic: every flag is its fallback"

  private let host: any ProviderHost
  let observers = Registrations<any FlagshipObserver>(capacity: 1_000)
  let cell = StatusCell()
  /// Told on the scheduler's thread when panic comes and when it goes. Set while the provider is made.
  var followPanic: @Sendable (Bool) -> Void = { _ in }
  /// Told there when everything but fallbacks is switched off, and when it is on again; off to begin with. Likewise.
  var followSilence: @Sendable (Bool) -> Void = { _ in }

  init(host: any ProviderHost) { self.host = host }

  var current: SDKStatus { cell.current }

  var hearsOfExposures: Bool { observers.contains(where: \.hearsOfExposures) }

  /// A start without anything that could be served.
  func initializing() { change(to: .initializing, "the bucketing file is being downloaded") }
  func initialized() { change(to: .initialized, "initialized") }
  /// What a bucketing file or an answer of the Decision API says.
  func answered(isPanic: Bool) {
    if isPanic { change(to: .panic, Self.panicMessage) } else { initialized() }
  }
  func stop() { change(to: .notInitialized, "not started") }

  private func change(to status: SDKStatus, _ message: String) {
    let before = cell.exchange(status)
    // Evaluations follow the change before observers are called.
    if before.isSilent != status.isSilent { followSilence(status.isSilent) }
    guard before != status else { return }
    if before == .panic || status == .panic { followPanic(status == .panic) }
    host.log.info("SDK status: \(message)")
    observers.tell(through: host.onDeliveryLane) { observer in { observer.sdkStatusChanged(status) } }
  }
}
