internal import HoistBase
internal import HoistCore

/// The bucketing file as a configuration: stored, given, downloaded, polled (3.3, 5.2; FS-07, FS-13, FS-212). On the
/// scheduler's thread.
final class BucketingFormat: ConfigurationFormat, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let account: AccountSettingsHolder
  private let telemetry: Telemetry
  private let automatic: AutomaticContext
  private weak var provider: FlagshipProvider?

  /// Whether the file that is served says panic; nil while there is none.
  private(set) var isPanic: Bool?

  init(
    host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, account: AccountSettingsHolder,
    telemetry: Telemetry, automatic: AutomaticContext
  ) {
    self.host = host
    self.settings = settings
    self.status = status
    self.account = account
    self.telemetry = telemetry
    self.automatic = automatic
  }

  func connect(_ provider: FlagshipProvider) { self.provider = provider }

  var name: String { "the bucketing file of environment \(settings.environmentID)" }
  var failureStatus: Status { .flagshipFetchFailed }
  var given: GivenDocument {
    GivenDocument(
      bytes: settings.givenFile, path: settings.givenFilePath, property: "bucketing.file",
      limitBytes: settings.maximumResponseBytes)
  }

  /// Refuses what is no JSON object, and what has neither campaigns nor panic in it: `{"panic":true}` alone is complete.
  func compile(_ document: [UInt8]) throws(FetchFailure) -> ServedCampaigns {
    let campaigns: ServedCampaigns
    do throws(CampaignFailure) {
      campaigns = try BucketingReader.read(document, settings.campaignOptions(host.log, automatic))
    } catch {
      throw FetchFailure(.flagshipFetchFailed, error.message)
    }
    guard campaigns.isPanic || campaigns.hasCampaigns else {
      campaigns.snapshot.destroy()
      throw FetchFailure(.flagshipFetchFailed, "it has no campaigns")
    }
    return campaigns
  }

  func discard(_ campaigns: ServedCampaigns) { campaigns.snapshot.destroy() }

  func serve(_ campaigns: ServedCampaigns, from origin: ConfigurationOrigin) {
    isPanic = campaigns.isPanic
    account.take(AccountSettings(text: campaigns.account))
    provider?.serve(campaigns)
    // Panic in a stored file counts once the first poll has ended (5.1).
    if origin != .service { status.initialized() }
  }

  func request() -> HTTPRequest { ServiceRequest(settings).get(settings.addresses.bucketingFile) }

  func begins(isServed: Bool) {
    if isServed { status.initialized() } else { status.initializing() }
  }

  /// A file that says panic is believed, where the service neither confirms nor denies it, too (5.1).
  func isOffline() {
    if isPanic == true { panic() }
  }

  private func panic() {
    status.answered(isPanic: true)
    host.report(.suspended(StatusMachine.panicMessage))
  }

  func answered(_ answer: FetchAnswer) {
    guard case .failure(let failure) = answer.result else { return }
    telemetry.caught(failure.message, of: nil)
  }

  func ended(_ outcome: FetchOutcome, _ answer: FetchAnswer?) {
    switch outcome {
    case .updated, .unchanged:
      status.answered(isPanic: isPanic == true)
      if outcome == .updated {
        report(.bucketingFile, answer)
        provider?.tellOfNewFile()
      }
    case .failed:
      if isPanic == true { panic() }
      report(.bucketingFileError, answer)
    case .empty, .superseded: break
    }
  }

  func report(of outcome: FetchOutcome) -> LifeReport? {
    switch outcome {
    case .updated where isPanic == true, .unchanged where isPanic == true: .suspended(StatusMachine.panicMessage)
    default: nil
    }
  }

  private func report(_ label: TroubleshootingLabel, _ answer: FetchAnswer?) {
    guard let answer, case .success(let response) = answer.result else { return }
    let milliseconds = RequestTimes.milliseconds(since: answer.begunNanoseconds, host.clock)
    telemetry.report(label, of: nil) {
      HTTPFacts(method: "GET", url: settings.addresses.bucketingFile, response, milliseconds: milliseconds).values
    }
  }
}
