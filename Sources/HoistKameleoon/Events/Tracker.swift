internal import HoistBase
internal import HoistCore

/// Sends the data of visitors that are due, at each interval, in one request (4.4; KAM-05, KAM-41, KAM-58 to KAM-60).
/// Thread-safe, but for the calls of `ClientPart`.
///
/// A datum is a row of the pipeline from its recording on, and survives the process; the queue decides when it is sent.
final class Tracker: ClientPart, @unchecked Sendable {
  static let pipelineName = "tracking"
  /// With this many waiting visitors the request is cut, to this number.
  private static let crowd = 40_000
  private static let crowdedRequest = 20_000
  private static let mostFailedProbes = 2

  let host: any ProviderHost
  let settings: KameleoonSettings
  let policy: TrackingPolicy
  let pipeline: EventPipeline
  let queue = TrackingQueue()

  weak var visitors: (any TrackedVisitors)? { didSet { policy.visitors = visitors } }

  // The scheduler thread's.
  private var timer: (any Cancellable)?
  private var activityTimer: (any Cancellable)?
  private var isStarted = false
  private var isReady = false
  private var startedAt: Int64 = 0
  /// After a failure: one visitor at each interval, until a request arrives (KAM-B25).
  private var isProbing = false
  /// Of the visitor whose turn it is.
  private var failedProbes = 0
  /// How often a request was held back because a visitor of it had refused.
  private var withheldRequests = 0

  init(
    host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, tokens: AccessTokens,
    reports: ServiceReports
  ) {
    self.host = host
    self.settings = settings
    policy = TrackingPolicy(host: host, settings: settings, addresses: addresses, tokens: tokens, reports: reports)
    var options = EventPipeline.Options(name: Self.pipelineName)
    options.maximumRows = settings.eventCapacity
    options.durability = settings.eventDurability
    options.consentRows = settings.consentCapacity
    options.consentAgeMilliseconds = settings.dataExpirationMilliseconds ?? Self.longestWaitForConsent
    options.pace = TrackingPace(limitMilliseconds: settings.longestRetryMilliseconds)
    options.commitLimitMilliseconds = Self.commitLimitMilliseconds
    // Visitors that are due are sent by the tracker; no flush by time.
    options.flushIntervalMilliseconds = 86_400_000
    // A visitor that has refused meanwhile is left out of the next attempt.
    options.encodesEveryAttempt = true
    // A request that waits for another attempt must not block others.
    options.maximumInFlight = 8
    pipeline = EventPipeline(options, policy: policy, host: host)
    pipeline.hold(.notReady)
    policy.tracker = self
  }

  // MARK: Any thread

  /// It is sent when the visitor is due. Never waits.
  /// - Parameter isOwn: whether it is this visitor's alone, also where others are linked to it.
  /// - Returns: false when there is no room: it is dropped and counted.
  @discardableResult
  func record(_ datum: TrackedDatum, of identity: TrackingIdentity, hasConsent: Bool, isOwn: Bool = false) -> Bool {
    let unixMilliseconds = host.clock.recentUnixMilliseconds
    return identity.subject.withUnsafeBytes { subject in
      TrackedRow.withRecord(datum, of: identity, hasConsent: hasConsent, nonce: host.entropy.next(), isOwn: isOwn) {
        head, content in
        pipeline.record(
          head, tail: content, subject: subject, unixMilliseconds: unixMilliseconds,
          awaitsConsent: datum.needsConsent && !hasConsent, waits: .never) != .dropped
      }
    }
  }

  /// With immediate durability: until everything that was recorded so far is stored, for as long as it may take.
  func waitForCommit() -> Status { pipeline.waitForCommit().status }

  static let commitLimitMilliseconds: Int64 = 500
  /// What is recorded of a visitor who never answers about consent is forgotten, also where data does not expire.
  private static let longestWaitForConsent: Int64 = 30 * 86_400_000

  /// The visitor is due at the next interval.
  /// - Parameter completion: once, on the scheduler's thread: what came of its request.
  func queue(_ visitor: any TrackedVisitor, completion: TrackingRecipient.Completion? = nil) {
    guard visitor.trackingMark.set() || completion != nil else { return }
    enqueue([TrackingRecipient(visitor, completion: completion)])
  }

  /// What may be sent of the visitor has changed: it goes with its next request.
  func consentChanged(_ visitor: any TrackedVisitor) { pipeline.reconsider() }

  /// Sends what is recorded of the visitor now, beside the queue.
  /// - Parameter completion: once, on the scheduler's thread: `.network` when it could not be sent now, and stays
  ///   stored.
  func flushNow(_ visitor: any TrackedVisitor, completion: @escaping TrackingRecipient.Completion) {
    host.scheduler.post { [self] in
      guard canSend, !pipeline.isResting else {
        queue(visitor)
        return completion(.network)
      }
      queue.putFirst(send([TrackingRecipient(visitor, completion: completion)]))
      armTimer()
    }
  }

  private func enqueue(_ recipients: [TrackingRecipient]) {
    let (dropped, isCall) = queue.append(recipients)
    for recipient in dropped { letGo(recipient, .limit) }
    // An earlier entry has asked for a tick already.
    guard isCall else { return }
    host.scheduler.post { [weak self] in
      self?.answerWhoCannotBeSent()
      self?.armTimer()
    }
  }

  /// They stay in the queue, but their completions do not wait for the network.
  private func answerWhoCannotBeSent() {
    guard isStarted, !canSend else { return }
    for completion in queue.takeCompletions() { completion(.network) }
  }

  private func letGo(_ recipient: TrackingRecipient, _ status: Status) {
    recipient.visitor?.trackingMark.clear()
    for completion in recipient.completions { completion(status) }
  }

  // MARK: The scheduler's thread

  private var canSend: Bool { isStarted && isReady && host.isOnline }

  /// At whole intervals since the start, while a visitor is due; not while a probe is under way, or waits for another attempt.
  private func armTimer() {
    guard timer == nil, canSend, queue.count > 0 || !policy.due.isEmpty, !(isProbing && policy.hasRequests) else { return }
    let interval = settings.trackingIntervalMilliseconds
    let passed = max(0, host.clock.monotonicNanoseconds &- startedAt) / 1_000_000
    timer = host.scheduler.schedule(afterMilliseconds: interval - passed % interval) { [weak self] in self?.tick() }
  }

  private func tick() {
    host.scheduler.assertCurrent()
    timer = nil
    guard canSend else { return }
    queue.putFirst(policy.takeDue())
    // After a failure the pipeline has its pace, and no visitor goes before the pause is over.
    if pipeline.isResting || policy.isRetrying { return armTimer() }
    let count = queue.count
    let most = isProbing ? 1 : count >= Self.crowd ? Self.crowdedRequest : count
    queue.putFirst(send(known(of: takeQueued(atMost: most))))
    armTimer()
  }

  /// For visitors whose consent is known by now.
  func sendNow(_ recipients: [TrackingRecipient]) {
    host.scheduler.assertCurrent()
    guard canSend else { return enqueue(recipients.map { TrackingRecipient($0.identity) }) }
    queue.putFirst(send(recipients))
    armTimer()
  }

  /// What is recorded of them from now on puts them into the queue again.
  private func takeQueued(atMost most: Int = .max) -> [TrackingRecipient] {
    let taken = queue.take(atMost: most)
    for recipient in taken { recipient.visitor?.trackingMark.clear() }
    return taken
  }

  /// - Returns: those that did not fit into the request.
  private func send(_ chosen: [TrackingRecipient]) -> [TrackingRecipient] {
    var draft = TrackingDraft(chosen, self)
    draft.prepare()
    for recipient in draft.idle where !policy.attach(recipient.completions, to: recipient) { letGo(recipient, .ok) }
    let unformed = policy.takeDue()
    policy.makeDue(unformed + draft.accepted)
    if !policy.due.isEmpty { pipeline.sendAtOnce(cutsPausesShort: false) }
    return draft.rest
  }

  // MARK: What came of a request

  /// It has failed twice, and its completions are called. A visitor that has failed twice alone waits behind the others, so that one the service refuses does not block them.
  func failed(_ recipients: [TrackingRecipient]) {
    if isProbing { failedProbes += 1 }
    isProbing = true
    var recipients = recipients
    for index in recipients.indices {
      recipients[index].hasConsent = nil
      _ = recipients[index].visitor?.trackingMark.set()
    }
    if failedProbes < Self.mostFailedProbes {
      queue.putFirst(recipients)
    } else {
      failedProbes = 0
      enqueue(recipients)
    }
    armTimer()
  }

  private func endProbing() { (isProbing, failedProbes) = (false, 0) }

  /// A visitor of the request has refused since: what may still be sent goes with the next one. No completion is called.
  func withheld(_ recipients: [TrackingRecipient]) {
    withheldRequests += 1
    for recipient in recipients { _ = recipient.visitor?.trackingMark.set() }
    queue.putFirst(recipients)
    armTimer()
  }

  /// They have rows of another run.
  func inherited(_ recipients: [TrackingRecipient]) { enqueue(recipients) }

  /// The request has arrived, or will never be sent.
  func ended(isDelivered: Bool) {
    if isDelivered { endProbing() }
    armTimer()
  }

  // MARK: Life

  func start() {
    host.scheduler.assertCurrent()
    if !isStarted { startedAt = host.clock.monotonicNanoseconds }
    isStarted = true
    setOnline(host.isOnline)
    pipeline.start()
    resume()
  }

  func stop() {
    host.scheduler.assertCurrent()
    isStarted = false
    timer?.cancel()
    timer = nil
    activityTimer?.cancel()
    activityTimer = nil
    pipeline.stop()
    var interrupted = policy.takeAll()
    for index in interrupted.indices {
      for completion in interrupted[index].completions { completion(.cancelled) }
      interrupted[index].completions = []
    }
    endProbing()
    queue.putFirst(interrupted)
  }

  func setOnline(_ isOnline: Bool) {
    host.scheduler.assertCurrent()
    if isOnline { pipeline.lift(.offline) } else { pipeline.hold(.offline) }
    answerWhoCannotBeSent()
    resume()
  }

  func configurationChanged(_ snapshot: Snapshot) {
    isReady = true
    policy.requiresConsent = snapshot.requiresConsent
    pipeline.lift(.notReady)
    resume()
  }

  private func resume() {
    // After what has just been posted to the pipeline.
    host.scheduler.post { [weak self] in
      self?.armTimer()
      self?.armActivityTimer()
    }
  }

  /// Everything that may be sent, of all visitors (4.9).
  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) {
    var unknown: [TrackingRecipient] = []
    let withheldBefore = withheldRequests
    policy.clientFlushes += 1
    if canSend {
      var everybody = policy.takeDue() + takeQueued()
      everybody += others(than: everybody)
      (everybody, unknown) = parted(everybody)
      sendAll(everybody)
    }
    readConsent(of: unknown) { [weak self] found in
      guard let self else { return completion(.left) }
      if canSend { sendAll(found) }
      pipeline.flush { [weak self] result in
        guard let self else { return completion(result) }
        policy.clientFlushes -= 1
        let isDone = result < .refused && !hasSomethingToSend
        // Refusals that others have stored were found on the way: the rest may go all the same.
        if !isDone, result == .left, withheldRequests != withheldBefore, canSend { return flush(completion) }
        completion(isDone ? .accepted : result)
      }
    }
  }

  private func sendAll(_ recipients: [TrackingRecipient]) {
    var recipients = recipients
    repeat { recipients = send(recipients) } while !recipients.isEmpty && policy.due.isEmpty
    queue.putFirst(recipients)
    armTimer()
  }

  /// Visitors with waiting rows.
  private func others(than known: [TrackingRecipient]) -> [TrackingRecipient] {
    var subjects = Set(known.flatMap(\.subjects))
    var others: [TrackingRecipient] = []
    pipeline.forEachWaiting { row in
      let subject = Array(row.subject.utf8)
      guard subjects.insert(subject).inserted else { return }
      let code = TrackedRow(row.payload)?.code ?? subject
      others.append(TrackingRecipient(TrackingIdentity(subject: subject, code: code)))
    }
    return others
  }

  private var hasSomethingToSend: Bool {
    var isFound = pipeline.counters.inFlight > 0
    pipeline.forEachWaiting { row in
      guard !isFound else { return }
      let code = TrackedRow(row.payload)?.code ?? Array(row.subject.utf8)
      let recipient =
        visitors?.visitor(of: code).map { TrackingRecipient($0) }
        ?? TrackingRecipient(TrackingIdentity(subject: Array(row.subject.utf8), code: code))
      isFound = policy.isAllowed(row.payload, policy.admission(of: recipient))
    }
    return isFound
  }

  func abandonAfterFork() {
    timer = nil
    activityTimer = nil
    endProbing()
    // What was recorded before is the parent's to send.
    for recipient in queue.take() + policy.abandonAfterFork() { recipient.visitor?.trackingMark.clear() }
  }

  var statistics: [(group: String, name: String, value: Int64)] {
    pipeline.counters.listing(Self.pipelineName) + [
      (Self.pipelineName, "queued_visitors", Int64(queue.count)), (Self.pipelineName, "dropped_visitors", queue.droppedCount),
    ]
  }
}

/// Activity events (KAM-B17).
extension Tracker {
  /// A visitor is open from now on. Any thread.
  func opened(_ visitor: any TrackedVisitor) { if settings.activityIntervalMilliseconds == 0 { queue(visitor) } }

  private func armActivityTimer() {
    guard let interval = settings.activityIntervalMilliseconds, interval > 0, activityTimer == nil, canSend else { return }
    activityTimer = host.scheduler.schedule(afterMilliseconds: interval) { [weak self] in
      guard let self else { return }
      activityTimer = nil
      for visitor in visitors?.namedByHost ?? [] { queue(visitor) }
      armActivityTimer()
    }
  }
}
