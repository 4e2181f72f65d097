internal import HoistBase
internal import HoistCore

/// Sends diagnostics (4.6): at its first going online what processes that ended have left, then the client's
/// configuration; then statistics at intervals. On the scheduler's thread.
///
/// Requests of their own, never stored: what fails twice is dropped.
final class DiagnosticReporter: ClientPart, @unchecked Sendable {
  struct Options: Sendable {
    var url: String
    /// The store key of the statistics.
    var storeKey: String
    var intervalMilliseconds: Int64
    var timeoutMilliseconds: Int64
    var compresses = false
    /// Before the one retry.
    var retryMilliseconds: Int64 = 0
  }

  private struct Message {
    let body: [UInt8]
    /// It has been sent before.
    var isRetry = false
  }

  private let host: any ProviderHost
  private let options: Options
  private let origin: DiagnosticOrigin
  private let headers: any HeaderSource
  private let capacity: EventCapacity
  /// Nil for a client.
  private let seen: SeenContexts?
  private var statistics: DiagnosticStatistics
  /// Events dropped before the present statistics began.
  private var droppedBefore = 0
  private var reusedBefore = 0
  private var isRunning = false
  private var isOnline = false
  private var isForeground = true
  private var isActive = false
  /// What others have left; nil while it is being read.
  private var inheritance: [[UInt8]]?
  private var hasBegun = false
  private var timer: (any Cancellable)?
  private var waiting: [Message] = []
  private var exchange: (any Cancellable)?
  /// Tells this life's answers from those to an earlier one.
  private var generation = Generation()

  init(
    host: any ProviderHost, options: Options, origin: DiagnosticOrigin, headers: any HeaderSource, capacity: EventCapacity,
    seen: SeenContexts? = nil
  ) {
    self.host = host
    self.seen = seen
    self.headers = headers
    self.capacity = capacity
    self.options = options
    self.origin = origin
    statistics = DiagnosticStatistics(
      id: UUIDv4(from: host.entropy).text, sinceUnixMilliseconds: host.clock.unixMilliseconds)
    noteDropped()
  }

  func start() {
    guard !isRunning else { return }
    isRunning = true
    let mine = generation.advance()
    let now = host.clock.unixMilliseconds
    host.store.load(options.storeKey) { [weak self] record in
      guard let self, generation.isCurrent(mine), isRunning else { return }
      var runs = DiagnosticRuns(record)
      if runs.takeLeft(at: now).isEmpty { inherit([]) } else { takeOver(mine, at: now) }
    }
  }

  /// In one step of the store: of several that begin at once, one tells of what was left.
  private func takeOver(_ mine: Generation.Token, at now: Int64) {
    let left = LockedValue<[DiagnosticStatistics]>([])
    host.store.update(options.storeKey) { record in
      var runs = DiagnosticRuns(record)
      let taken = runs.takeLeft(at: now)
      left.withLock { $0 = taken }
      return runs.record
    } completion: { [weak self, scheduler = host.scheduler] result in
      let isTaken = if case .success = result { true } else { false }
      scheduler.post { [weak self] in
        guard let self, self.generation.isCurrent(mine), self.isRunning else { return }
        self.inherit(isTaken ? left.withLock { $0 } : [])
      }
    }
  }

  private func inherit(_ former: [DiagnosticStatistics]) {
    let now = host.clock.unixMilliseconds
    inheritance = former.map { $0.event(unixMilliseconds: now, keySuffix: origin.keySuffix) }
    save()
    begin()
  }

  func stop() {
    guard isRunning else { return }
    save(hasEnded: true)
    forget()
  }

  /// In a forked child, which is a run of its own.
  func abandonAfterFork() {
    exchange = nil
    timer = nil
    forget()
  }

  private func forget() {
    isRunning = false
    generation.advance()
    exchange?.cancel()
    exchange = nil
    timer?.cancel()
    timer = nil
    waiting = []
    inheritance = nil
    hasBegun = false
    (droppedBefore, reusedBefore) = (capacity.dropped, seen?.reused ?? 0)
    statistics = DiagnosticStatistics(
      id: UUIDv4(from: host.entropy).text, sinceUnixMilliseconds: host.clock.unixMilliseconds)
  }

  /// The client has gone online, or offline.
  func onlineChanged(_ isOnline: Bool) {
    self.isOnline = isOnline
    setActive(isOnline && isForeground)
  }

  func setForeground(_ isForeground: Bool) {
    self.isForeground = isForeground
    setActive(isOnline && isForeground)
  }

  /// Whether the client is online and in the foreground.
  private func setActive(_ isActive: Bool) {
    guard self.isActive != isActive else { return }
    self.isActive = isActive
    timer?.cancel()
    timer = nil
    begin()
  }

  private func begin() {
    guard isRunning, isActive, let inheritance else { return }
    if !hasBegun {
      hasBegun = true
      let events = inheritance + [origin.event(id: statistics.id, unixMilliseconds: host.clock.unixMilliseconds)]
      waiting = events.map { Message(body: $0) }
    }
    sendNext()
    arm()
  }

  private func arm() {
    guard timer == nil else { return }
    timer = host.scheduler.schedule(afterMilliseconds: options.intervalMilliseconds) { [weak self] in
      guard let self, self.isRunning, self.isActive else { return }
      self.timer = nil
      self.tell()
      self.arm()
    }
  }

  private func tell() {
    let now = host.clock.unixMilliseconds
    noteDropped()
    waiting.append(Message(body: statistics.event(unixMilliseconds: now, keySuffix: origin.keySuffix)))
    (droppedBefore, reusedBefore) = (capacity.dropped, seen?.reused ?? 0)
    statistics.beginAnew(unixMilliseconds: now)
    save()
    sendNext()
  }

  // MARK: What happens

  func batchMade(_ count: Int) {
    statistics.eventsInLastBatch = count
    save()
  }

  /// - Parameters:
  ///   - start: when the attempt to open the stream began, in milliseconds since 1970.
  ///   - milliseconds: how long it took until it was open, or failed.
  func streamInitialized(at start: Int64, afterMilliseconds milliseconds: Int64, hasFailed: Bool) {
    statistics.add(
      DiagnosticStatistics.StreamInit(
        unixMilliseconds: start, durationMilliseconds: max(0, milliseconds), hasFailed: hasFailed))
    save()
  }

  private func noteDropped() {
    statistics.droppedEvents = max(0, capacity.dropped - droppedBefore)
    statistics.deduplicatedUsers = seen.map { max(0, $0.reused - reusedBefore) }
  }

  /// - Parameter hasEnded: from now on any run may tell of it.
  private func save(hasEnded: Bool = false) {
    guard isRunning, inheritance != nil else { return }
    noteDropped()
    let (statistics, owner) = (statistics, hasEnded ? "" : host.store.ownerID)
    host.store.update(options.storeKey, kind: .replaceable) { record in
      var runs = DiagnosticRuns(record)
      runs.keep(statistics, owner: owner)
      return runs.record
    }
  }

  // MARK: Sending, one at a time

  /// Offline everything waits (LD-10).
  private func sendNext() {
    guard isRunning, isActive, exchange == nil, !waiting.isEmpty else { return }
    send(waiting.removeFirst())
  }

  private func send(_ message: Message) {
    var request = HTTPRequest(method: "POST", url: options.url, body: message.body)
    request.connectTimeoutMilliseconds = options.timeoutMilliseconds
    request.timeoutMilliseconds = options.timeoutMilliseconds
    request.maximumResponseBytes = 1 << 20
    request.compressesBody = options.compresses
    let mine = generation.current
    let own = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Accept", "application/json")]
    // Set at once, so that nothing is sent beside it.
    exchange = NothingToCancel()
    let prepared = request
    headers.prepare(own, for: options.url) { [weak self] headers in
      guard let self, generation.isCurrent(mine) else { return }
      guard self.isActive else { return self.putBack(message) }
      var request = prepared
      request.headers = headers
      self.exchange = self.host.transport.send(request) { [weak self] answer in
        guard let self, generation.isCurrent(mine) else { return }
        self.answered(answer, message)
      }
    }
  }

  /// The next to be sent, as soon as it may be.
  private func putBack(_ message: Message) {
    exchange = nil
    waiting.insert(message, at: 0)
    sendNext()
  }

  /// The classes of 2.4, but that a client's one retry follows at once, and a 401 says nothing to it.
  private func answered(_ answer: Result<HTTPResponse, TransportFailure>, _ message: Message) {
    if !message.isRetry, EventAnswerClass(answer) == .passing {
      let again = Message(body: message.body, isRetry: true)
      if options.retryMilliseconds == 0 { return putBack(again) }
      let mine = generation.current
      exchange = host.scheduler.schedule(afterMilliseconds: options.retryMilliseconds) { [weak self] in
        if let self, generation.isCurrent(mine) { putBack(again) }
      }
      return
    }
    exchange = nil
    sendNext()
  }
}

/// A request that is still being prepared.
private final class NothingToCancel: Cancellable {
  func cancel() {}
}
