internal import HoistBase
internal import HoistCore

/// How rows become tracking requests (2.5, 2.11, 4.4). On the scheduler's thread.
final class TrackingPolicy: EventPolicy, @unchecked Sendable {
  static let maximumAttempts = 2
  static let retryMilliseconds: Int64 = 5_000
  /// Visitors are added to a request until their rows are more; the one with whom they are is still in (2.5).
  static let maximumBodyBytes = 2_621_440

  /// What may go of a visitor.
  enum Admission: Int, Comparable {
    case withoutConsent, everything

    static func < (left: Admission, right: Admission) -> Bool { left.rawValue < right.rawValue }
  }

  /// A request on its way.
  private struct Flight {
    var recipients: [TrackingRecipient]
    /// When the last attempt began, by the monotonic clock.
    var begunNanoseconds: Int64 = 0
    /// What it was authorised with; nil for nothing.
    var bearer: String?
    /// The service takes no token.
    var goesWithoutToken = false
    /// Somebody has refused while it waited for a token.
    var isWithheld = false
  }

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let tokens: AccessTokens
  private let reports: ServiceReports
  private var flights: [String: Flight] = [:]
  /// Whose rows the next batch takes, of one subject in their order.
  private(set) var due: [TrackingRecipient] = []
  /// What may go of whom, by subject.
  private var admitted: [[UInt8]: Admission] = [:]
  /// There has been a batch for those who are due.
  private var isFormed = false
  /// Less than `maximumBodyBytes` after the service has found a request too large.
  private(set) var bodyLimit = maximumBodyBytes

  /// Whether the configuration wants consent.
  var requiresConsent = true
  /// Those of a request that has failed, to be tried again.
  var failed: ([TrackingRecipient]) -> Void = { _ in }
  /// Those of a request that may not go as it is; nobody is told.
  var withheld: ([TrackingRecipient]) -> Void = { _ in }
  /// Whether somebody whom nobody holds has consented; nil where that is not in memory.
  var knownConsent: (TrackingIdentity) -> Bool? = { _ in nil }
  /// Those of whom another run has left rows.
  var inherited: ([TrackingRecipient]) -> Void = { _ in }
  /// A request has arrived, or will never be sent.
  var ended: (_ isDelivered: Bool) -> Void = { _ in }

  init(
    host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, tokens: AccessTokens,
    reports: ServiceReports
  ) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
    self.tokens = tokens
    self.reports = reports
  }

  /// - Parameter recipients: whose rows go with the next batch.
  func makeDue(_ recipients: [TrackingRecipient]) {
    due += recipients
    admitted.merge(admissions(of: recipients)) { max($0, $1) }
  }

  private func admissions(of recipients: [TrackingRecipient]) -> [[UInt8]: Admission] {
    var admissions: [[UInt8]: Admission] = [:]
    for recipient in recipients {
      let admission = admission(of: recipient)
      for subject in recipient.subjects { admissions[subject] = max(admissions[subject] ?? admission, admission) }
    }
    return admissions
  }

  /// As it is now. Of whom nothing is known goes what needs no consent.
  func admission(of recipient: TrackingRecipient) -> Admission {
    if let visitor = recipient.visitor { return visitor.hasConsentToTrack ? .everything : .withoutConsent }
    if !requiresConsent { return .everything }
    let hasConsent = knownConsent(recipient.identity) ?? recipient.hasConsent ?? false
    return hasConsent ? .everything : .withoutConsent
  }

  /// Whether it has to be read first what may go.
  func hasToAsk(about recipient: TrackingRecipient) -> Bool {
    recipient.visitor == nil && requiresConsent && recipient.hasConsent == nil && knownConsent(recipient.identity) == nil
  }

  /// Nobody is due any more.
  /// - Returns: those for whom there was no batch.
  func takeDue() -> [TrackingRecipient] {
    defer { (due, admitted, isFormed) = ([], [:], false) }
    return isFormed ? [] : due
  }

  /// Everybody, also of requests on their way.
  func takeAll() -> [TrackingRecipient] {
    defer { flights = [:] }
    return flights.values.flatMap(\.recipients) + takeDue()
  }

  /// Whether a request is on its way, or waits to be sent again.
  var hasRequests: Bool { !flights.isEmpty }

  func kept(_ recorded: ByteView) -> [UInt8] { TrackedRow.finished(recorded) }

  var batchLimits: BatchLimits { BatchLimits(bytes: bodyLimit < Self.maximumBodyBytes ? bodyLimit : .max) }

  /// Whether a row may be sent (4.4).
  func isAllowed(_ payload: [UInt8], _ admission: Admission) -> Bool {
    admission == .everything || !TrackedRow.bits(of: payload).contains(.needsConsent)
  }

  func admits(_ row: EventRow) -> Bool {
    guard !admitted.isEmpty, let admission = admitted[Array(row.subject.utf8)] else { return false }
    return isAllowed(row.payload, admission)
  }

  /// Tells those who wait for a visitor's rows what comes of the request that they are on.
  /// - Returns: false when they are on none.
  func attach(_ completions: [TrackingRecipient.Completion], to recipient: TrackingRecipient) -> Bool {
    for (id, flight) in flights {
      guard let at = flight.recipients.firstIndex(where: { $0.isSame(as: recipient) }) else { continue }
      flights[id]?.recipients[at].completions += completions
      return true
    }
    return false
  }

  /// Whether nobody of it has refused since it was formed.
  private func isStillAllowed(_ batch: EventBatch) -> Bool {
    guard requiresConsent else { return true }
    let admissions = admissions(of: flights[batch.id]?.recipients ?? due)
    return batch.rows.allSatisfy { isAllowed($0.payload, admissions[Array($0.subject.utf8)] ?? .withoutConsent) }
  }

  /// Its rows wait again with the others, of which the next batch takes what may go.
  private func withhold(_ batch: EventBatch) -> EventEncoding {
    if let flight = flights.removeValue(forKey: batch.id) {
      tell(read(batch), flight.recipients, areUnsent: true)
      withheld(flight.recipients)
    } else {
      let recipients = due
      (due, admitted, isFormed) = ([], [:], false)
      withheld(recipients)
    }
    return .later
  }

  private func read(_ batch: EventBatch) -> [(subject: [UInt8], row: TrackedRow)] {
    batch.rows.compactMap { row in TrackedRow(row.payload).map { (Array(row.subject.utf8), $0) } }
  }

  func encode(_ batch: EventBatch) -> EventEncoding {
    guard isStillAllowed(batch) else { return withhold(batch) }
    var rows: [(subject: [UInt8], row: TrackedRow)] = []
    var broken: [String] = []
    for row in batch.rows {
      if let read = TrackedRow(row.payload) { rows.append((Array(row.subject.utf8), read)) } else { broken.append(row.id) }
    }
    guard broken.isEmpty else { return .reject(ids: broken, reason: "they cannot be read") }
    let recipients = flights[batch.id]?.recipients ?? takeOff(batch.id)
    if batch.attempt == 1 { tell(rows, recipients, areUnsent: false) }
    return .request(request(TrackingBody(rows, to: recipients).bytes))
  }

  /// To where the service is now.
  private func request(_ body: [UInt8]) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST", url: addresses.tracking, headers: [HTTPHeader("Content-Type", "*/*")], body: body)
    request.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
    request.timeoutMilliseconds = settings.timeoutMilliseconds
    request.maximumResponseBytes = settings.maximumResponseBytes
    return request
  }

  private func takeOff(_ id: String) -> [TrackingRecipient] {
    flights[id] = Flight(recipients: due)
    isFormed = true
    for index in due.indices { due[index].completions = [] }
    return due
  }

  /// An exposure that is on its way does not wait any more; one that failed does again (4.3).
  private func tell(_ rows: [(subject: [UInt8], row: TrackedRow)], _ recipients: [TrackingRecipient], areUnsent: Bool) {
    var experiments: [[UInt8]: [Int64]] = [:]
    for (subject, row) in rows where row.kind == .assignment { experiments[subject, default: []].append(row.experimentID) }
    for (subject, ids) in experiments {
      let recipient = recipients.first { $0.visitor != nil && $0.subjects.contains(subject) }
      recipient?.visitor?.exposures(ids, areUnsent: areUnsent)
    }
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) { completion(request) }

  func prepare(_ request: HTTPRequest, of batch: EventBatch, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    if flights[batch.id]?.goesWithoutToken == true { return begin(batch, nil, request, completion) }
    tokens.bearer(withinMilliseconds: request.timeoutMilliseconds) { [self] in begin(batch, $0, request, completion) }
  }

  private func begin(
    _ batch: EventBatch, _ bearer: String?, _ request: HTTPRequest, _ completion: (HTTPRequest?) -> Void
  ) {
    guard isStillAllowed(batch) else {
      flights[batch.id]?.isWithheld = true
      return completion(nil)
    }
    flights[batch.id]?.begunNanoseconds = host.clock.monotonicNanoseconds
    flights[batch.id]?.bearer = bearer
    var request = request
    if let bearer { request.headers.set("Authorization", bearer) }
    completion(request)
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    // Not sent: made anew at once, of what may still go.
    if flights[batch.id]?.isWithheld == true {
      flights[batch.id]?.isWithheld = false
      return .pause(milliseconds: 0)
    }
    if let flight = flights[batch.id] { reports.attempt(.tracking, answer, begunNanoseconds: flight.begunNanoseconds) }
    if case .success(let response) = answer {
      switch response.status {
      case let status where ServiceAnswer.isSuccess(status): return .done
      case 401:
        if let verdict = refused(batch) { return verdict }
      case 413: return tooLarge(batch)
      default: break
      }
    }
    if batch.attempt < Self.maximumAttempts { return .pause(milliseconds: Self.retryMilliseconds) }
    giveBack(batch)
    return .rest(afterMilliseconds: nil)
  }

  /// The token is given up; the last attempt is followed by one without (2.10).
  private func refused(_ batch: EventBatch) -> EventVerdict? {
    guard let bearer = flights[batch.id]?.bearer else { return nil }
    tokens.drop(bearer)
    guard batch.attempt >= Self.maximumAttempts else { return nil }
    flights[batch.id]?.goesWithoutToken = true
    return .retry(afterMilliseconds: 0)
  }

  /// Less at a time from now on; nobody gets more than a record into the service.
  private func tooLarge(_ batch: EventBatch) -> EventVerdict {
    guard batch.rows.count > 1 else { return .drop(reason: "a single record is too large for the service") }
    bodyLimit = min(bodyLimit, batch.rows.reduce(0) { $0 + $1.payload.count }) / 2
    giveBack(batch)
    return .rest(afterMilliseconds: nil)
  }

  private func giveBack(_ batch: EventBatch) {
    let recipients = flights.removeValue(forKey: batch.id)?.recipients ?? []
    tell(read(batch), recipients, areUnsent: true)
    failed(recipients)
  }

  func delivered(_ batch: EventBatch) {
    let flight = flights.removeValue(forKey: batch.id)
    bodyLimit = min(Self.maximumBodyBytes, bodyLimit * 2)
    ended(true)
    host.notify(Notification(.eventsSent, message: batch.rows.first?.pipeline ?? ""))
    for completion in flight?.recipients.flatMap(\.completions) ?? [] { completion(.ok) }
  }

  /// Nobody waits for what will never be sent.
  func dropped(_ batch: EventBatch) {
    let flight = flights.removeValue(forKey: batch.id)
    ended(false)
    for completion in flight?.recipients.flatMap(\.completions) ?? [] { completion(.network) }
  }

  func adopted(_ rows: [EventRow]) {
    var recipients: [[UInt8]: TrackingRecipient] = [:]
    for row in rows {
      let subject = Array(row.subject.utf8)
      guard recipients[subject] == nil else { continue }
      let code = TrackedRow(row.payload)?.code ?? subject
      recipients[subject] = TrackingRecipient(TrackingIdentity(subject: subject, code: code))
    }
    inherited(Array(recipients.values))
  }
}
