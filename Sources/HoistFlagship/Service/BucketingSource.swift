internal import HoistBase
internal import HoistCore

/// Brings the bucketing file: stored, given, downloaded, polled (3.3, 5.2; FS-07, FS-13, FS-212). On the scheduler's
/// thread, but for `file`.
final class BucketingSource: @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let account: AccountSettingsHolder
  private let served = Shared<BucketingFile?>(nil)

  init(host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, account: AccountSettingsHolder) {
    self.host = host
    self.settings = settings
    self.status = status
    self.account = account
  }

  /// The file that is served; any thread.
  var file: BucketingFile? { served.withLock { $0 } }

  func start() { status.initializing() }
  func stop() {}
  func refresh() {}
  func setOnline(_ isOnline: Bool) {}
  func abandonAfterFork() {}
}
