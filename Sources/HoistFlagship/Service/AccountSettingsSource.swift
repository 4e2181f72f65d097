internal import HoistCore

/// Downloads the account's settings at the start, where they are needed before a fetch brings them (FS-208), until that
/// succeeds. On the scheduler's thread.
final class AccountSettingsSource: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let account: AccountSettingsHolder
  private let loop: FetchLoop
  private var isRunning = false

  init(host: any ProviderHost, settings: FlagshipSettings, account: AccountSettingsHolder) {
    self.host = host
    self.settings = settings
    self.account = account
    loop = FetchLoop(
      host: host, pace: RegularPace(interval: 0, limit: settings.longestRetryMilliseconds),
      options: .init(headerProvider: host.plugins.headerProvider))
    loop.delegate = self
  }

  func start() {
    isRunning = true
    if settings.downloadsAccount, host.isOnline { loop.start() }
  }

  func stop() {
    isRunning = false
    loop.stop()
  }

  func setOnline(_ isOnline: Bool) {
    guard isRunning else { return }
    if isOnline { start() } else { loop.stop() }
  }

  func abandonAfterFork() { loop.abandonAfterFork() }
}

extension AccountSettingsSource: FetchDelegate {
  var hasFlags: Bool { false }

  func fetchRequest(of loop: FetchLoop) -> HTTPRequest? { ServiceRequest(settings).get(settings.addresses.accountSettings) }

  /// `{"accountSettings":{…}}`, or the settings themselves.
  func fetchAnswered(_ answer: FetchAnswer, of loop: FetchLoop, conclude: @escaping @Sendable (FetchVerdict) -> Void) {
    func failed(_ what: String, retryAfter: Int64? = nil) {
      conclude(.ended(.failed(FetchFailure(.network, "account settings: \(what)", retryAfterMilliseconds: retryAfter))))
    }
    switch answer.result {
    case .failure(let failure): failed("no answer: \(failure.message)")
    case .success(let response):
      guard 200...299 ~= response.status else {
        return failed("the service answered \(response.status)", retryAfter: response.retryAfterMilliseconds(host.clock))
      }
      guard let read = AccountSettings(document: response.body) else { return failed("the answer cannot be read") }
      account.take(read)
      conclude(.ended(.updated))
    }
  }

  func fetchEnded(_ outcome: FetchOutcome, of loop: FetchLoop) {
    if case .failed(let failure) = outcome { host.log.warning(failure.message) }
  }
}
