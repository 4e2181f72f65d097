internal import HoistBase
internal import HoistCore

/// How rows become tracking requests (2.5, 2.11, 4.4). On the scheduler's thread.
final class TrackingPolicy: EventPolicy, @unchecked Sendable {
  static let maximumAttempts = 2
  static let retryMilliseconds: Int64 = 5_000
  /// Visitors are added to a request until this is exceeded; the last one is still included (2.5).
  static let maximumBodyBytes = 2_621_440

  /// What may go of a visitor.
  enum Admission: Int, Comparable {
    case withoutConsent, everything

    static func < (left: Admission, right: Admission) -> Bool { left.rawValue < right.rawValue }
  }

  /// A request on its way.
  private struct Flight {
    var recipients: [TrackingRecipient]
    /// When the last attempt began, by the monotonic clock; nil where it has not.
    var begunNanoseconds: Int64?
    /// What it was authorised with; nil for nothing.
    var bearer: String?
    /// The service takes no token.
    var goesWithoutToken = false
    /// A visitor has refused while it waited for a token.
    var isWithheld = false
    /// Its first attempt has failed.
    var hasFailed = false
    /// The service has refused what it carries again and again: it is split until the bad row stands alone.
    var isRefused = false
  }

  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let tokens: AccessTokens
  private let reports: ServiceReports
  private var flights: [String: Flight] = [:]
  /// The visitors whose rows the next batch takes, those of one subject in their order.
  private(set) var due: [TrackingRecipient] = []
  /// What may be sent, by subject.
  private var admitted: [[UInt8]: Admission] = [:]
  /// A batch was formed for the visitors that are due.
  private var isFormed = false
  /// Less than `maximumBodyBytes` after the service has found a request too large.
  private(set) var bodyLimit = maximumBodyBytes
  /// Answers since the last success that refuse what was sent.
  private var refusals = 0
  private var forwardingBearer: String?
  /// Flushes of the whole client that are under way: they are to say what is refused, and wait for no other attempt.
  var clientFlushes = 0

  /// Whether the configuration wants consent.
  var requiresConsent = true
  weak var visitors: (any TrackedVisitors)?
  /// Whose requests these are.
  weak var tracker: Tracker?

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

  /// - Parameter recipients: the visitors whose rows go with the next batch.
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

  /// As of now. Without a known answer, only what needs no consent is sent.
  func admission(of recipient: TrackingRecipient) -> Admission {
    if let visitor = recipient.visitor { return visitor.hasConsentToTrack ? .everything : .withoutConsent }
    if !requiresConsent { return .everything }
    let hasConsent = visitors?.knownConsent(of: recipient.identity) ?? recipient.hasConsent ?? false
    return hasConsent ? .everything : .withoutConsent
  }

  /// Whether what the visitor has answered counts, and is in the store alone.
  func isAnswerStored(of recipient: TrackingRecipient) -> Bool {
    recipient.visitor == nil && requiresConsent && visitors?.knownConsent(of: recipient.identity) == nil
  }

  /// Empties the list of those due.
  /// - Returns: those that no batch was formed for.
  func takeDue() -> [TrackingRecipient] {
    defer { (due, admitted, isFormed) = ([], [:], false) }
    return isFormed ? [] : due
  }

  /// Whether a request is under way, or waits for another attempt.
  var hasRequests: Bool { !flights.isEmpty }

  /// Whether the second attempt of a request is awaited: it decides what follows for the other visitors, too.
  var isRetrying: Bool { flights.values.contains(where: \.hasFailed) }

  /// All visitors, also those of requests under way.
  func takeAll() -> [TrackingRecipient] {
    defer { flights = [:] }
    return flights.values.flatMap(\.recipients) + takeDue()
  }

  /// The parent's flushes, and what the service made of its requests, are the parent's.
  /// - Returns: all visitors.
  func abandonAfterFork() -> [TrackingRecipient] {
    (clientFlushes, refusals, bodyLimit) = (0, 0, Self.maximumBodyBytes)
    return takeAll()
  }

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

  /// Adds completions to the request that carries a visitor's rows.
  /// - Returns: false when no request carries them.
  func attach(_ completions: [TrackingRecipient.Completion], to recipient: TrackingRecipient) -> Bool {
    for (id, flight) in flights {
      guard let at = flight.recipients.firstIndex(where: { $0.isSame(as: recipient) }) else { continue }
      flights[id]?.recipients[at].completions += completions
      return true
    }
    return false
  }

  /// Whether no visitor of it has refused since it was formed.
  private func isStillAllowed(_ batch: EventBatch) -> Bool {
    guard requiresConsent else { return true }
    let admissions = admissions(of: recipients(of: batch))
    return batch.rows.allSatisfy { isAllowed($0.payload, admissions[Array($0.subject.utf8)] ?? .withoutConsent) }
  }

  /// Its rows wait again with the others, of which the next batch takes what may go.
  private func withhold(_ batch: EventBatch) -> EventEncoding {
    let recipients = recipients(of: batch)
    if flights.removeValue(forKey: batch.id) != nil {
      tell(read(batch), recipients, areUnsent: true)
    } else if isDue(batch) {
      (due, admitted, isFormed) = ([], [:], false)
    }
    tracker?.withheld(recipients)
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
    let recipients = flights[batch.id]?.recipients ?? takeOff(batch)
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

  private func takeOff(_ batch: EventBatch) -> [TrackingRecipient] {
    let recipients = recipients(of: batch)
    flights[batch.id] = Flight(recipients: recipients)
    guard isDue(batch) else { return recipients }
    isFormed = true
    for index in due.indices { due[index].completions = [] }
    return due
  }

  /// Whether it was formed for those who are due, and is no part of an earlier one.
  private func isDue(_ batch: EventBatch) -> Bool { batch.rows.allSatisfy { admitted[Array($0.subject.utf8)] != nil } }

  private func recipients(of batch: EventBatch) -> [TrackingRecipient] {
    flights[batch.id]?.recipients ?? (isDue(batch) ? due : Self.recipients(of: batch.rows))
  }

  /// As the rows themselves tell.
  private static func recipients(of rows: [EventRow]) -> [TrackingRecipient] {
    var recipients: [[UInt8]: TrackingRecipient] = [:]
    for row in rows {
      let subject = Array(row.subject.utf8)
      guard recipients[subject] == nil else { continue }
      let code = TrackedRow(row.payload)?.code ?? subject
      recipients[subject] = TrackingRecipient(TrackingIdentity(subject: subject, code: code))
    }
    return Array(recipients.values)
  }

  /// Who waits hears what comes of the last part.
  func divided(_ batch: EventBatch, into parts: [EventBatch]) {
    guard var flight = flights.removeValue(forKey: batch.id) else { return }
    for part in parts.reversed() {
      let subjects = Set(part.rows.map { Array($0.subject.utf8) })
      var own = flight
      own.recipients.removeAll { subjects.isDisjoint(with: $0.subjects) }
      flights[part.id] = own
      for index in flight.recipients.indices where !subjects.isDisjoint(with: flight.recipients[index].subjects) {
        flight.recipients[index].completions = []
      }
    }
  }

  func awaitsConsent(_ row: EventRow) -> Bool {
    let bits = TrackedRow.bits(of: row.payload)
    return bits.contains(.needsConsent) && !bits.contains(.hadConsent)
  }

  func describe(_ row: EventRow) -> String { TrackedRow(row.payload)?.kind.name ?? "" }

  /// Notes that an exposure is on its way; one that failed waits again (4.3).
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
    let carry: @Sendable (String?) -> Void = { [self] bearer in
      hearRefusals(of: batch) { [self] isKnown in
        if isKnown { begin(batch, bearer, request, completion) } else { completion(nil) }
      }
    }
    if flights[batch.id]?.goesWithoutToken == true { return carry(nil) }
    tokens.bearer(withinMilliseconds: request.timeoutMilliseconds, completion: carry)
  }

  /// As the store has them now: another client or process may have stored one since the last attempt.
  private func hearRefusals(of batch: EventBatch, completion: @escaping @Sendable (_ isKnown: Bool) -> Void) {
    flights[batch.id]?.begunNanoseconds = nil
    guard let visitors, let tracker else { return completion(true) }
    let recipients = flights[batch.id]?.recipients ?? []
    visitors.hearRefusals(of: recipients) { [self] isKnown in
      guard isKnown else { return completion(false) }
      let consenting = recipients.filter { $0.hasConsent == true && isAnswerStored(of: $0) }
      tracker.readConsent(of: consenting) { [self] found in
        for recipient in found {
          guard let at = flights[batch.id]?.recipients.firstIndex(where: { $0.isSame(as: recipient) }) else { continue }
          flights[batch.id]?.recipients[at].hasConsent = recipient.hasConsent
        }
        completion(true)
      }
    }
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

  func forwarded(_ batch: ForwardedBatch) -> ForwardedRequest { .request(request(batch.body), .lines) }

  func prepareForwarded(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    tokens.bearer(withinMilliseconds: request.timeoutMilliseconds) { [self] bearer in
      forwardingBearer = bearer
      var request = request
      if let bearer { request.headers.set("Authorization", bearer) }
      completion(request)
    }
  }

  func sawForwarded(_ answer: Result<HTTPResponse, TransportFailure>) {
    if let forwardingBearer, (try? answer.get())?.status == 401 { tokens.drop(forwardingBearer) }
  }

  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    // Not sent: made anew at once, of what may still go.
    if flights[batch.id]?.isWithheld == true {
      flights[batch.id]?.isWithheld = false
      return .again
    }
    if let begun = flights[batch.id]?.begunNanoseconds { reports.attempt(.tracking, answer, begunNanoseconds: begun) }
    if case .success(let response) = answer {
      switch response.status {
      case let status where ServiceAnswer.isSuccess(status): return .done
      case 401:
        if let verdict = refused(batch) { return verdict }
      case 413:
        // Less at a time from now on.
        bodyLimit = min(bodyLimit, batch.rows.reduce(0) { $0 + $1.payload.count }) / 2
        return .split
      default: break
      }
    }
    return again(batch, EventVerdict.standard(answer))
  }

  /// As the vendor's SDK does: one more attempt after a pause, and then the visitors wait for the next interval, whatever
  /// the answer was (4.4). What is still refused then is not asked for again.
  private func again(_ batch: EventBatch, _ verdict: EventVerdict) -> EventVerdict {
    var failure: FetchFailure
    switch verdict {
    case .refused(let reason):
      refusals += 1
      if flights[batch.id]?.isRefused == true || refusals > Self.maximumAttempts || clientFlushes > 0 {
        flights[batch.id]?.isRefused = true
        return verdict
      }
      failure = FetchFailure(.network, reason)
    case .failed(let cause): failure = cause
    default: return verdict
    }
    // Completions do not wait for the service to come back.
    for index in flights[batch.id]?.recipients.indices ?? 0..<0 {
      for completion in flights[batch.id]?.recipients[index].completions ?? [] { completion(.network) }
      flights[batch.id]?.recipients[index].completions = []
    }
    if failure.next == .slow { return .failed(failure) }
    if batch.attempt < Self.maximumAttempts {
      flights[batch.id]?.hasFailed = true
      failure.next = .after(milliseconds: Self.retryMilliseconds)
      return .failed(failure)
    }
    giveBack(batch)
    return .rest(failure)
  }

  private func giveBack(_ batch: EventBatch) {
    let recipients = flights.removeValue(forKey: batch.id)?.recipients ?? Self.recipients(of: batch.rows)
    tell(read(batch), recipients, areUnsent: true)
    tracker?.failed(recipients)
  }

  /// Drops the token; after the last attempt there is one without it (2.10).
  private func refused(_ batch: EventBatch) -> EventVerdict? {
    guard let bearer = flights[batch.id]?.bearer else { return nil }
    tokens.drop(bearer)
    guard batch.attempt >= Self.maximumAttempts else {
      let pause = FetchFailure.Next.after(milliseconds: Self.retryMilliseconds)
      return .failed(FetchFailure(.network, "the access token is refused (401)", next: pause))
    }
    flights[batch.id]?.goesWithoutToken = true
    return .again
  }

  func delivered(_ batch: EventBatch) {
    let flight = flights.removeValue(forKey: batch.id)
    bodyLimit = min(Self.maximumBodyBytes, bodyLimit * 2)
    refusals = 0
    tracker?.ended(isDelivered: true)
    for completion in flight?.recipients.flatMap(\.completions) ?? [] { completion(.ok) }
  }

  /// Completes the visitors of what will never be sent.
  func dropped(_ batch: EventBatch) {
    let flight = flights.removeValue(forKey: batch.id)
    tracker?.ended(isDelivered: false)
    for completion in flight?.recipients.flatMap(\.completions) ?? [] { completion(.rejected) }
  }

  func adopted(_ rows: [EventRow]) { tracker?.inherited(Self.recipients(of: rows)) }
}
