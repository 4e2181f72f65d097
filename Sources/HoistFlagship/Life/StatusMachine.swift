internal import HoistBase
internal import HoistCore
internal import Synchronization

/// The SDK's status, for readers that must not wait; it may outlive the client.
final class StatusCell: Sendable {
  private let value = Atomic<Int32>(SDKStatus.notInitialized.rawValue)

  @inline(__always)
  var current: SDKStatus { SDKStatus(rawValue: value.load(ordering: .relaxed)) ?? .notInitialized }

  fileprivate func set(_ status: SDKStatus) { value.store(status.rawValue, ordering: .relaxed) }
}

/// The part that follows the status: told of each change on its thread, before observers are.
protocol StatusFollower: AnyObject, Sendable {
  func statusChanged(from before: SDKStatus, to now: SDKStatus)
}

/// The SDK's status, and who observes the client (protocols/flagship.md 5.1; FS-12, FS-38 to FS-42). Read on any thread;
/// changed on the scheduler's, but for `begins`.
final class StatusMachine: ClientPart, @unchecked Sendable {
  static let panicMessage = "the service says panic: every flag is its fallback"

  private struct State {
    var status = SDKStatus.notInitialized
    /// What observers were told last.
    var told = SDKStatus.notInitialized
  }

  private let host: any ProviderHost
  private let state = LockedValue(State())
  let observers = Registrations<any FlagshipObserver>(capacity: 1_000)
  let cell = StatusCell()
  private weak var follower: (any StatusFollower)?

  init(host: any ProviderHost) { self.host = host }

  /// While the provider is made.
  func connect(_ follower: any StatusFollower) { self.follower = follower }

  var current: SDKStatus { cell.current }

  var hearsOfExposures: Bool { observers.contains(where: \.hearsOfExposures) }

  /// A start is asked for: visitors may do what they may do after it. Observers are told when it is carried out, of what
  /// it has found (FS-40). Any thread.
  func begins(_ status: SDKStatus) {
    let isFirst = state.withLock { state in
      guard state.status == .notInitialized else { return false }
      state.status = status
      cell.set(status)
      return true
    }
    if isFirst { follower?.statusChanged(from: .notInitialized, to: status) }
  }

  /// A start without anything that could be served.
  func initializing() { change(to: .initializing, "the bucketing file is being downloaded") }
  func initialized() { change(to: .initialized, "initialized") }
  /// What a bucketing file or an answer of the Decision API says.
  func answered(isPanic: Bool) {
    if isPanic { change(to: .panic, Self.panicMessage) } else { initialized() }
  }
  func stop() { change(to: .notInitialized, "not started") }

  private func change(to status: SDKStatus, _ message: String) {
    let before = state.withLock { state in
      defer {
        state = State(status: status, told: status)
        cell.set(status)
      }
      return state
    }
    // Evaluations follow the change before observers are called.
    if before.status != status { follower?.statusChanged(from: before.status, to: status) }
    guard before.told != status else { return }
    host.log.info("SDK status: \(message)")
    observers.tell(through: host.onDeliveryLane) { observer in { observer.sdkStatusChanged(status) } }
  }
}
