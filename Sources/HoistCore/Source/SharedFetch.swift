internal import HoistBase

/// Told by a shared fetch; on the scheduler's thread.
public protocol SharedFetchDelegate: AnyObject {
  /// What messages call the document.
  var sharedName: String { get }
  /// The store has another document, or this process is to fetch it for all: a fetch is due.
  func sharedFetchIsDue()
  /// Whether this process is the one that asks the service, and may stream from it.
  func sharedFetchLeads(_ isLeading: Bool)
}

/// The network of a fetch loop whose document one process fetches for all that share the store. The leader's requests go to the
/// service, and what they bring is written with its number; those of all others are answered from the store, as the service
/// would. Where the store is away for longer, each asks the service. On the scheduler's thread.
public final class SharedFetch: Transport, StoreListener, @unchecked Sendable {
  private enum Role: Equatable {
    /// The store has not answered yet, or not for a while.
    case unknown
    case following
    /// Surely until then, by the monotonic clock.
    case leading(number: Int64, until: Int64)
    case alone
  }

  private let host: any ProviderHost
  private let sharing: FetchSharing
  private let key: String
  private let network: any Transport
  public weak var delegate: (any SharedFetchDelegate)?

  private var role = Role.unknown
  private var isRunning = false
  /// Under which this process leads; "" before it has asked.
  private var holder = ""
  private var timer: (any Cancellable)?
  /// Of the lead, should the store not answer.
  private var ending: (any Cancellable)?
  private var isAsking = false
  /// The answer that is under way may be of before what was announced.
  private var asksAgain = false
  /// Moves on with each stop: earlier answers of the store count no more.
  private var generation = Generation()
  /// Requests that wait for the store's answer, and since when.
  private var waiting: [SharedExchange] = []
  private var waitingSince: Int64?
  /// Since when the store fails, and for how long that is borne.
  private var failing: (since: Int64, grace: Int64)?
  /// Of the document in the store: the newest seen, the one that this process has, the one that a request was answered with, and
  /// the one that a fetch was asked for.
  private var (seen, known, offered, announced): (Int64, Int64?, Int64?, Int64) = (0, nil, nil, 0)
  /// What this process has came from the service, and is not in the store.
  private var isAhead = false
  /// What the leader has to write yet.
  private var unwritten: [UInt8]?
  private let counters = LockedValue(Counters())

  private struct Counters {
    var isLeading: Int64 = 0
    var read: Int64 = 0
    var written: Int64 = 0
    var refused: Int64 = 0
    var isAlone: Int64 = 0
  }

  private init(host: any ProviderHost, sharing: FetchSharing, key: String, network: any Transport) {
    (self.host, self.sharing, self.key, self.network) = (host, sharing, key, network)
  }

  /// Goes between a loop's network and the loop.
  /// - Parameter key: of the document; nil is not kept.
  /// - Returns: nil where each process fetches for itself.
  public static func between(_ host: any ProviderHost, _ options: inout FetchLoop.Options, key: String?) -> SharedFetch? {
    let made = between(host, network: options.transport, key: key)
    if let made { options.transport = made }
    return made
  }

  /// The same for loops that are made later.
  /// - Parameter network: nil for the client's.
  public static func between(_ host: any ProviderHost, network: (any Transport)? = nil, key: String?) -> SharedFetch? {
    guard let sharing = host.fetchSharing, let key else { return nil }
    return SharedFetch(host: host, sharing: sharing, key: key, network: network ?? host.transport)
  }

  public func pace(_ pace: any FetchPace) -> any FetchPace { SharedPace(pace, self) }

  var isAlone: Bool { role == .alone }
  public var isFollowing: Bool { role == .following }
  public var isLeading: Bool { if case .leading = role { true } else { false } }
  private var leadsSurely: Bool { if case .leading(_, let until) = role { now <= until } else { false } }
  private var now: Int64 { host.clock.monotonicNanoseconds }
  private var name: String { delegate?.sharedName ?? key }

  public var statistics: [(group: String, name: String, value: Int64)] {
    let counted = counters.withLock { $0 }
    return [
      ("shared_fetch", "leads", counted.isLeading), ("shared_fetch", "alone", counted.isAlone),
      ("shared_fetch", "read", counted.read), ("shared_fetch", "written", counted.written),
      ("shared_fetch", "refused", counted.refused),
    ]
  }

  // MARK: Life

  /// Looks at the store now and then from now on, and when another process says that it has written.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    host.store.hear(self)
    ask()
  }

  /// Who leads wrote it itself, and looks only where something may have been lost.
  public func storeChanged(_ keys: [String]?) {
    guard isRunning, keys?.contains(key) ?? true, keys == nil || !leadsSurely else { return }
    if isAsking { asksAgain = true } else { ask() }
  }

  /// Gives the lead back, so that another process has it at once.
  func rest() {
    timer?.cancel()
    ending?.cancel()
    if !holder.isEmpty, !sharing.isReader { host.store.lead(key, holder: holder, leaseMilliseconds: 0) { _ in } }
    forget()
    if !waiting.isEmpty { ask() }
  }

  /// The same for good: nothing waits any more.
  public func stop() {
    let abandoned = takeWaiting()
    rest()
    for exchange in abandoned { exchange.cancel() }
  }

  /// The parent leads on, under its own name.
  public func abandonAfterFork() {
    forget()
    _ = takeWaiting()
  }

  private func forget() {
    (isRunning, isAsking, asksAgain, timer, ending, holder, failing, unwritten) = (false, false, false, nil, nil, "", nil, nil)
    (seen, known, offered, announced, isAhead) = (0, nil, nil, 0, false)
    generation.advance()
    become(.unknown)
  }

  private func become(_ next: Role) {
    let led = isLeading
    role = next
    counters.withLock { ($0.isLeading, $0.isAlone) = (isLeading ? 1 : 0, isAlone ? 1 : 0) }
    if led != isLeading { delegate?.sharedFetchLeads(isLeading) }
  }

  // MARK: The store

  private func ask() {
    timer?.cancel()
    timer = nil
    guard !isAsking else { return }
    (isAsking, asksAgain) = (true, false)
    // Of its own: the store's identity changes when its lease has run out unnoticed.
    if holder.isEmpty { holder = "\(host.store.ownerID)/\(host.entropy.next())" }
    let (mine, begun) = (generation.current, now)
    let asks = sharing.isReader ? nil : holder
    host.store.lead(key, holder: asks, leaseMilliseconds: sharing.heldMilliseconds) { [weak self] result in
      guard let self, generation.isCurrent(mine) else { return }
      isAsking = false
      switch result {
      case .success(let lead): found(lead, askedAt: begun)
      case .failure: missed()
      }
      if asksAgain { ask() } else { arm() }
    }
  }

  private func arm() {
    guard isRunning || !waiting.isEmpty, timer == nil, !isAsking else { return }
    let isSure = isLeading && failing == nil
    let pause = isSure ? sharing.heldMilliseconds / 3 : host.entropy.shortened(sharing.pollMilliseconds)
    let mine = generation.current
    timer = host.scheduler.schedule(afterMilliseconds: pause) { [weak self] in
      if let self, generation.isCurrent(mine) { ask() }
    }
  }

  private func found(_ lead: CacheLead, askedAt begun: Int64) {
    failing = nil
    seen = lead.version
    if let number = lead.number { self.lead(number, until: begun &+ sharing.heldMilliseconds &* 1_000_000) } else { follow() }
  }

  private func lead(_ number: Int64, until: Int64) {
    let isNew = if case .leading(number, _) = role { false } else { true }
    become(.leading(number: number, until: until))
    endLead(at: until)
    if isNew {
      unwritten = nil
      host.log.info("\(name): this process leads, and fetches it for all that share the store")
    }
    write()
    if !waiting.isEmpty { return passAll() }
    // The store has lost what it had.
    let isLost = known != nil && known != seen && announced != seen
    if isNew || isLost { announce() }
  }

  /// Who streams does not ask before it goes on: a store that hangs ends the lead all the same.
  private func endLead(at until: Int64) {
    ending?.cancel()
    let mine = generation.current
    ending = host.scheduler.schedule(afterMilliseconds: max(0, until &- now) / 1_000_000 &+ 1) { [weak self] in
      if let self, generation.isCurrent(mine), isLeading { become(.unknown) }
    }
  }

  private func follow() {
    if role != .following {
      let why =
        sharing.isReader
        ? "it is never fetched here, and read from the store" : "another process fetches it, and it is read from the store"
      host.log.info("\(name): \(why)")
      unwritten = nil
      become(.following)
    }
    if waiting.isEmpty {
      if seen != 0, seen != known, seen != announced { announce() }
    } else {
      answerAll()
    }
  }

  private func announce() {
    announced = seen
    delegate?.sharedFetchIsDue()
  }

  /// The store has not answered. Who leads does so until its time is over; then no process asks the service, until that lasts.
  private func missed() {
    let spell = failing ?? (now, (sharing.leaseMilliseconds &+ chance) &* 1_000_000)
    failing = spell
    if leadsSurely { return passAll() }
    if isLeading || role == .following { become(.unknown) }
    guard now &- spell.since >= spell.grace else { return }
    if sharing.isReader { return failAll("the store does not answer") }
    if role != .alone {
      become(.alone)
      host.log.warning(
        "\(name): the store has not answered for \((now &- spell.since) / 1_000_000_000) s; until it does, each process fetches for "
          + "itself, ten times as seldom")
    }
    passAll()
  }

  /// Not all at the same time.
  private var chance: Int64 { Int64(host.entropy.below(UInt64(max(1, sharing.leaseMilliseconds)))) }

  // MARK: Requests

  public func send(
    _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    let exchange = SharedExchange(request, host.scheduler, completion)
    if isAlone || leadsSurely {
      pass(exchange)
    } else {
      waiting.append(exchange)
      waitingSince = waitingSince ?? now
      ask()
    }
    return exchange
  }

  public func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable {
    network.openStream(request, handler: handler)
  }

  private func takeWaiting() -> [SharedExchange] {
    defer { (waiting, waitingSince) = ([], nil) }
    return waiting
  }

  private func passAll() { for exchange in takeWaiting() { pass(exchange) } }

  /// To the service, which is asked for the whole document unless the store has the same as this process.
  private func pass(_ exchange: SharedExchange) {
    offered = nil
    exchange.send(over: network, isConditional: isAlone || known == seen && !isAhead)
  }

  private func failAll(_ reason: String) {
    for exchange in takeWaiting() { exchange.complete(.failure(TransportFailure(.unreachable, reason))) }
  }

  private func answerAll() {
    if seen == 0 { return failLate() }
    let version = seen
    if version == known { return answerAll(HTTPResponse(status: 304)) }
    let mine = generation.current
    host.store.read(key) { [weak self] result in
      guard let self, generation.isCurrent(mine), role == .following, case .success(let kept) = result else { return }
      guard let document = kept.flatMap({ DocumentStorage.decode($0) }) else { return failLate() }
      (offered, announced) = (version, version)
      counters.withLock { $0.read += 1 }
      let headers = [("Last-Modified", document.lastModified), ("ETag", document.entityTag)]
      answerAll(
        HTTPResponse(
          status: 200, headers: headers.compactMap { name, value in value.map { HTTPHeader(name, $0) } }, body: document.bytes))
    }
  }

  /// There is no document: the leader has a lease's time to bring one.
  private func failLate() {
    guard let waitingSince, now &- waitingSince >= sharing.leaseMilliseconds &* 1_000_000 else { return }
    failAll("the store does not have it, and another process has to fetch it")
  }

  private func answerAll(_ response: HTTPResponse) {
    for exchange in takeWaiting() { exchange.complete(.success(response)) }
  }

  // MARK: Writes

  /// A document has come, and is good: the leader's is written for all.
  func keep(_ record: [UInt8]) {
    isAhead = offered == nil
    if let offered {
      (known, self.offered) = (isRunning ? offered : nil, nil)
    } else if isLeading {
      unwritten = record
      write()
    }
  }

  private func write() {
    guard case .leading(let number, _) = role, let record = unwritten else { return }
    unwritten = nil
    let mine = generation.current
    host.store.save(key, record, ledBy: number) { [weak self] result in
      guard let self, generation.isCurrent(mine) else { return }
      switch result {
      case .success(let version?):
        counters.withLock { $0.written += 1 }
        (seen, known, announced) = (version, version, version)
        isAhead = unwritten != nil
        write()
      case .success(nil): refused()
      case .failure: unwritten = unwritten ?? record
      }
    }
  }

  private func refused() {
    counters.withLock { $0.refused += 1 }
    host.log.warning("\(name): it came after another process had taken the lead, and was not written")
    become(.unknown)
    ask()
  }
}
