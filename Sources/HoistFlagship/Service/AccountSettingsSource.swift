internal import HoistCore

/// Downloads the account's settings at the start, where they are needed before a fetch brings them (FS-208). On the
/// scheduler's thread.
final class AccountSettingsSource: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let account: AccountSettingsHolder
  private let requests: OutgoingRequests

  init(host: any ProviderHost, settings: FlagshipSettings, account: AccountSettingsHolder) {
    self.host = host
    self.settings = settings
    self.account = account
    requests = OutgoingRequests(host: host)
  }

  func start() {
    guard settings.downloadsAccount, host.isOnline, requests.count == 0 else { return }
    requests.send(ServiceRequest(settings).get(settings.addresses.accountSettings)) { [weak self] in self?.take($0) }
  }

  /// `{"accountSettings":{…}}`, or the settings themselves.
  private func take(_ answer: Result<HTTPResponse, TransportFailure>) {
    switch answer {
    case .failure(let failure): host.log.warning("account settings: no answer: \(failure.message)")
    case .success(let response):
      guard 200...299 ~= response.status else {
        return host.log.warning("account settings: the service answered \(response.status)")
      }
      guard let read = AccountSettings(document: response.body) else {
        return host.log.warning("account settings: the answer cannot be read")
      }
      account.take(read)
    }
  }

  func stop() { requests.cancelAll() }
  func setOnline(_ isOnline: Bool) { if isOnline { start() } else { requests.cancelAll() } }
  func abandonAfterFork() { requests.abandonAfterFork() }
}
