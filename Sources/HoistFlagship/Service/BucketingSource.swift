internal import HoistBase
internal import HoistCore

/// Brings the bucketing file: stored, given, downloaded, polled (3.3, 5.2; FS-07, FS-13, FS-212). On the scheduler's
/// thread.
final class BucketingSource: @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: FlagshipSettings
  private let status: StatusMachine
  private let account: AccountSettingsHolder
  private let telemetry: Telemetry
  private let storage: DocumentStorage
  private lazy var poller = DocumentPoller(host: host) { [settings] in
    ServiceRequest(settings).get(settings.addresses.bucketingFile)
  } ended: { [weak self] answer in
    self?.finish(answer)
    self?.waitForNext()
  }

  /// Takes the campaigns that are served from now on, with their snapshot.
  var serve: (ServedCampaigns) -> Void = { $0.snapshot.destroy() }
  /// Told when another file than the one before has come from the service.
  var changed: () -> Void = {}

  /// Whether the file that is served says panic; nil while there is none.
  private(set) var isPanic: Bool?
  private var isRunning = false
  /// Moves on with each start and stop: what belongs to an earlier one is over.
  private var generation: UInt64 = 0
  private var failures = FetchFailures()
  /// When the last download began, in nanoseconds of the client's clock.
  private var downloadBegun: Int64 = 0

  init(host: any ProviderHost, settings: FlagshipSettings, status: StatusMachine, account: AccountSettingsHolder, telemetry: Telemetry) {
    self.host = host
    self.settings = settings
    self.status = status
    self.account = account
    self.telemetry = telemetry
    storage = DocumentStorage(store: host.store, key: "bucketing")
    poller.attempted = { [weak self] _, begun in self?.downloadBegun = begun }
  }

  // MARK: Life

  func start() {
    guard !isRunning else { return }
    isRunning = true
    generation &+= 1
    guard isPanic == nil else {
      status.initialized()
      return fetch()
    }
    let mine = generation
    storage.load { [weak self] stored in
      guard let self, isRunning, mine == generation else { return }
      begin(with: stored.flatMap { self.sound($0, "the stored bucketing file") } ?? given())
    }
  }

  private func begin(with file: BucketingFile?) {
    if let file {
      take(file)
      // A file of before that says panic is believed once the first poll has ended (5.1).
      status.initialized()
    } else {
      status.initializing()
    }
    fetch()
  }

  func stop() {
    poller.stop()
    end()
  }

  func abandonAfterFork() {
    poller.abandonAfterFork()
    end()
  }

  private func end() {
    isRunning = false
    generation &+= 1
  }

  func setOnline(_ isOnline: Bool) {
    if isOnline { return refresh() }
    poller.stop()
    if isRunning { nothingNew("offline") }
  }

  /// Downloads now, unless that is under way (FS-212).
  func refresh() { if isRunning { fetch() } }

  // MARK: The host's file

  private func given() -> BucketingFile? {
    if let text = settings.givenFile { return sound(StoredDocument(bytes: text, lastModified: nil), "the given bucketing file") }
    if settings.givenFilePath.isEmpty { return nil }
    do throws(FileContent.Failure) {
      let bytes = try FileContent.read(path: settings.givenFilePath, limitBytes: settings.maximumResponseBytes)
      return sound(StoredDocument(bytes: bytes, lastModified: nil), "the given bucketing file")
    } catch {
      host.log.error("bucketing.file: \(error.message)")
      return nil
    }
  }

  private func sound(_ stored: StoredDocument, _ origin: String) -> BucketingFile? {
    do throws(CampaignFailure) {
      return try BucketingFile(stored, settings.campaignOptions(host.log))
    } catch {
      host.log.error("\(origin) is left aside: \(error.message)")
      return nil
    }
  }

  // MARK: Downloads

  private func fetch() {
    if host.isOnline { poller.fetch() } else { nothingNew("offline") }
  }

  /// The next download begins one interval after the end of this one, whatever came of it (5.2).
  private func waitForNext() {
    guard isRunning, settings.pollingSeconds > 0 else { return }
    poller.fetch(afterMilliseconds: settings.pollingSeconds * 1000) { [weak self] in self?.fetch() }
  }

  private func finish(_ answer: Result<HTTPResponse, TransportFailure>) {
    switch answer {
    case .failure(let failure):
      telemetry.caught(failure.message, of: nil)
      failed("no answer: \(failure.message)")
    case .success(let response):
      if response.status == 304, let isPanic {
        confirm(isPanic: isPanic)
      } else if 200...299 ~= response.status {
        received(response)
      } else {
        report(.bucketingFileError, response)
        failed("the service answered \(response.status)")
      }
    }
  }

  private func received(_ response: HTTPResponse) {
    let file: BucketingFile
    do throws(CampaignFailure) {
      file = try BucketingFile(StoredDocument(bytes: response.body, lastModified: response.lastModified), settings.campaignOptions(host.log))
    } catch {
      report(.bucketingFileError, response)
      return failed(error.message)
    }
    storage.save(file.stored)
    take(file)
    confirm(isPanic: file.campaigns.isPanic)
    report(.bucketingFile, response)
    changed()
  }

  private func report(_ label: TroubleshootingLabel, _ response: HTTPResponse) {
    let milliseconds = RequestTimes.milliseconds(since: downloadBegun, host.clock)
    telemetry.report(label, of: nil) {
      HTTPFacts(method: "GET", url: settings.addresses.bucketingFile, response, milliseconds: milliseconds).values
    }
  }

  private func take(_ file: BucketingFile) {
    poller.lastModified = file.stored.lastModified
    isPanic = file.campaigns.isPanic
    account.take(AccountSettings(text: file.campaigns.account))
    serve(file.campaigns)
  }

  private func confirm(isPanic: Bool) {
    failures.clear()
    status.answered(isPanic: isPanic)
  }

  /// A file that says panic is believed, where the service neither confirms nor denies it, too (5.1).
  private func nothingNew(_ message: String) {
    if isPanic == true { status.answered(isPanic: true) } else { status.failed(message) }
  }

  /// Each failure is told once in a row; what is there stays in use.
  private func failed(_ what: String) {
    let message = "the bucketing file of environment \(settings.environmentID): \(what)"
    nothingNew(message)
    failures.tell(.flagshipFetchFailed, message, host)
  }
}
