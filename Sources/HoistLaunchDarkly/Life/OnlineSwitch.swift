internal import HoistCore

/// Going online and offline (5.3). On the scheduler's thread.
final class OnlineSwitch: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: LaunchDarklySettings
  private let synchronizer: Synchronizer
  private var isRunning = false

  init(host: any ProviderHost, settings: LaunchDarklySettings, synchronizer: Synchronizer) {
    self.host = host
    self.settings = settings
    self.synchronizer = synchronizer
  }

  func start() {
    isRunning = true
    if host.isOnline { set(true) { _ in } }
  }

  func stop() { isRunning = false }
  func abandonAfterFork() { isRunning = false }

  func set(_ isOnline: Bool, completion: @escaping @Sendable (SynchronizerOutcome) -> Void) {
    guard isOnline, isRunning, !settings.mobileKey.isEmpty, let context = host.currentContext else {
      synchronizer.end()
      return completion(.confirmed)
    }
    synchronizer.begin(SynchronizedContext(context: LDContext(context.frozen)), settled: completion)
  }

  func restart(for context: ContextReference, completion: @escaping @Sendable (SynchronizerOutcome) -> Void) {
    synchronizer.end()
    set(host.isOnline, completion: completion)
  }

  /// The service has refused the mobile key.
  func forceOffline() { synchronizer.end() }
}
