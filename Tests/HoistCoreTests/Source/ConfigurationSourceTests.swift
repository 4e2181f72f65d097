import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// Documents are texts; "broken" is none.
private final class Texts: ConfigurationFormat, @unchecked Sendable {
  var given = GivenDocument(bytes: nil, path: "", property: "", limitBytes: 0)
  var servesArrivals = true
  var isFetchable = true
  private(set) var served: [String] = []

  var name: String { "the text" }
  func compile(_ document: [UInt8]) throws(FetchFailure) -> String {
    let text = String(decoding: document, as: UTF8.self)
    if text == "broken" { throw FetchFailure(.parse, "it is broken") }
    return text
  }
  func discard(_ configuration: String) {}
  func serve(_ configuration: String, from origin: ConfigurationOrigin) { served.append("\(origin) \(configuration)") }
  func isServed(_ configuration: String) -> Bool { served.last?.split(separator: " ").last.map(String.init) == configuration }
  func request() -> HTTPRequest { HTTPRequest(method: "GET", url: "http://localhost/text") }
}

@Suite("A source of documents: stored, given, fetched")
struct ConfigurationSourceTests {
  private static let date = "Wed, 21 Oct 2026 07:28:00 GMT"
  private let host: TestHost
  private let format = Texts()
  private let source: ConfigurationSource<Texts>

  init() {
    host = TestHost(manager: MemoryCacheManager(clock: SystemClock()))
    source = ConfigurationSource(
      host: host, format: format, storageKey: "text", pace: RegularPace(interval: 0, limit: 300_000),
      options: .init(headerProvider: nil))
  }

  private func given(_ text: String) -> GivenDocument {
    GivenDocument(bytes: Array(text.utf8), path: "", property: "", limitBytes: 100)
  }

  private func stored(_ text: String) {
    DocumentStorage(store: host.store, key: "text").save(StoredDocument(bytes: Array(text.utf8), lastModified: Self.date))
  }

  private func start(_ start: ConfigurationStart = ConfigurationStart()) -> Locked<[FetchFailure?]> {
    let ended = Locked<[FetchFailure?]>([])
    source.start(start) { failure in ended.change { $0.append(failure) } }
    host.time.run()
    return ended
  }

  private func answerOpen(_ status: Int, _ text: String = "") {
    host.settle { !host.network.open.isEmpty }
    host.network.open.first?.complete(answer(status, text))
    host.time.run()
  }

  /// What is stored by now.
  private func isStored(_ text: String?) -> Bool {
    let found = Locked<String??>(nil)
    source.loadStored { document in found.value = .some(document.map { String(decoding: $0.bytes, as: UTF8.self) }) }
    host.settle { found.value != nil }
    return found.value == .some(text)
  }

  private func conditions() -> [String?] { host.network.requests.map { $0.headers.value(of: "If-Modified-Since") } }

  @Test("Starting: the stored document is served before the given one, and is asked for with its date")
  func storedFirst() {
    stored("old")
    format.given = given("mine")
    let ended = start()
    host.settle { ended.value.count == 1 }
    #expect(format.served == ["stored old"])
    #expect(host.life.state == .stale)
    answerOpen(304)
    #expect(format.served == ["stored old"])
    #expect(host.life.state == .ready)
    #expect(conditions() == [Self.date])
  }

  @Test("Starting with a fetch: nothing stored is served before the answer, which is the one that counts")
  func fetchFirst() {
    stored("old")
    let ended = start(ConfigurationStart(waitsForFetch: true))
    host.settle { !host.network.open.isEmpty }
    #expect(format.served.isEmpty)
    #expect(host.life.wasInitialized)
    #expect(host.life.state == .notReady)
    answerOpen(200, "new")
    #expect(format.served == ["service new"])
    #expect(ended.value == [nil])
    #expect(isStored("new"))
  }

  @Test(
    "Starting with a fetch, serving meanwhile: the stored document is STALE until what comes takes its place, also where arrivals are kept"
  )
  func fetchFirstServingMeanwhile() {
    stored("old")
    format.servesArrivals = false
    let ended = start(ConfigurationStart(waitsForFetch: true, servesMeanwhile: true))
    host.settle { !host.network.open.isEmpty }
    #expect(format.served == ["stored old"] && ended.value.isEmpty)
    #expect(host.life.state == .stale)
    answerOpen(200, "new")
    #expect(format.served == ["stored old", "service new"] && ended.value == [nil])
    #expect(host.life.state == .ready)
  }

  @Test("A refresh that is answered before the store's first look: the stored document is older, and is not served")
  func refreshBeforeTheStore() {
    let manager = GatedManager()
    let host = TestHost(manager: manager)
    let source = ConfigurationSource(
      host: host, format: format, storageKey: "text", pace: RegularPace(interval: 0, limit: 300_000),
      options: .init(headerProvider: nil))
    let former = TestHost(manager: manager.inner)
    DocumentStorage(store: former.store, key: "text").save(StoredDocument(bytes: Array("old".utf8), lastModified: nil))
    former.settle { manager.inner.load(key: "text") != nil }
    manager.shut("text")
    let ended = Locked<[FetchFailure?]>([])
    source.start(ConfigurationStart()) { failure in ended.change { $0.append(failure) } }
    source.refresh()
    host.settle { !host.network.open.isEmpty }
    host.network.open.first?.complete(answer(200, "new"))
    host.time.run()
    #expect(format.served == ["service new"])
    manager.open()
    host.settle { ended.value.count == 1 }
    #expect(format.served == ["service new"] && ended.value == [nil])
  }

  @Test("Online again, where arrivals are kept: what comes is served")
  func onlineAgain() {
    format.given = given("mine")
    format.servesArrivals = false
    _ = start()
    answerOpen(304)
    for isOnline in [false, true] {
      host.isOnline = isOnline
      source.setOnline(isOnline)
    }
    answerOpen(200, "new")
    #expect(format.served == ["given mine", "service new"])
  }

  @Test(
    "Starting with a fetch: a stored document that is confirmed is served; so it is after a failure, as STALE",
    arguments: [304, 503])
  func fetchFirstAndStored(status: Int) {
    stored("old")
    let ended = start(ConfigurationStart(waitsForFetch: true))
    answerOpen(status)
    #expect(format.served == ["stored old"])
    #expect(ended.value == [nil])
    #expect(host.life.state == (status == 304 ? .ready : .stale))
  }

  @Test(
    "Starting with a fetch that takes too long: what there is serves, and a late document where there is none",
    arguments: [true, false])
  func late(hasGiven: Bool) {
    if hasGiven { format.given = given("mine") }
    format.servesArrivals = false
    let ended = start(ConfigurationStart(waitsForFetch: true))
    host.settle { !host.network.open.isEmpty }
    source.endWaiting(FetchFailure(.timeout, "late"), isReported: true)
    #expect(ended.value.map { $0?.status } == [hasGiven ? nil : .timeout])
    #expect(host.life.state == (hasGiven ? .stale : .error))
    answerOpen(200, "new")
    #expect(format.served == (hasGiven ? ["given mine"] : ["service new"]))
    #expect(host.life.state == .ready)
    #expect(ended.value.count == 1)
  }

  @Test("Ready, where arrivals are kept: the next start serves them, and so does a refresh", arguments: [true, false])
  func kept(isRefreshed: Bool) {
    format.given = given("mine")
    format.servesArrivals = false
    _ = start()
    host.settle { !host.network.open.isEmpty }
    host.network.open.first?.complete(answer(200, "new", [HTTPHeader("Last-Modified", Self.date)]))
    host.time.run()
    #expect(format.served == ["given mine"])
    #expect(isStored("new"))
    if isRefreshed {
      source.refresh()
      answerOpen(304)
      #expect(conditions() == [nil, Self.date])
    } else {
      let again = start()
      host.settle { again.value.count == 1 }
    }
    #expect(format.served == ["given mine", "stored new"])
  }

  @Test(
    "A refresh while a fetch is in flight: that one will do; where it fails one more follows, unless the service wants a pause (contract 7; failing, refused)",
    arguments: [(200, nil), (503, nil), (401, nil), (503, "20")])
  func refreshInFlight(status: Int, retryAfter: String?) {
    format.servesArrivals = false
    format.given = given("mine")
    _ = start()
    host.settle { !host.network.open.isEmpty }
    for _ in 0..<3 { source.refresh() }
    host.network.open.first?.complete(answer(status, "new", retryAfter.map { [HTTPHeader("Retry-After", $0)] } ?? []))
    host.time.run()
    #expect(host.network.open.count == (status == 200 || retryAfter != nil ? 0 : 1))
    if status != 200, retryAfter == nil {
      answerOpen(200, "new")
      #expect(host.network.open.isEmpty && host.life.state == .ready)
    }
    #expect(format.served.last == (retryAfter == nil ? "service new" : "given mine"))
  }

  @Test("Ready: a document that is served already is not served anew")
  func equal() {
    _ = start()
    answerOpen(200, "new")
    source.refresh()
    answerOpen(200, "new")
    #expect(format.served == ["service new"])
    #expect(host.notifications.value.filter { $0.topic == .updated }.count == 1)
  }

  @Test("A stored document that does not compile is removed, and any is asked for", arguments: [true, false])
  func brokenStored(waits: Bool) {
    stored("broken")
    _ = start(ConfigurationStart(waitsForFetch: waits))
    host.settle { !host.network.open.isEmpty }
    if waits {
      answerOpen(304)
      host.settle { host.network.requests.count == 2 }
    }
    #expect(conditions().last == .some(nil))
    #expect(isStored(nil))
    answerOpen(200, "new")
    #expect(format.served == ["service new"])
  }

  @Test("A given document that does not compile is a warning, the start says so, and the service is asked")
  func brokenGiven() {
    format.given = given("broken")
    let ended = start()
    host.settle { ended.value.count == 1 }
    #expect(ended.value.first??.status == .parse)
    #expect(host.lines.messages(.warning).count == 1)
    answerOpen(200, "new")
    #expect(host.life.state == .ready)
  }

  @Test("With nothing to serve and nothing to ask attempts have stopped")
  func nothing() {
    format.isFetchable = false
    let ended = start()
    host.settle { ended.value.count == 1 }
    #expect(host.life.state == .fatal)
    #expect(host.network.requests.isEmpty)
  }

  @Test(
    "With nothing to serve and nothing to ask there are no attempts, neither when a client that began offline goes online nor again later"
  )
  func nothingOnline() {
    format.isFetchable = false
    host.isOnline = false
    let ended = start()
    host.settle { ended.value.count == 1 }
    #expect(host.life.state == .notReady)
    for _ in 0..<2 {
      host.isOnline = true
      source.setOnline(true)
      host.time.run()
      #expect(host.life.state == .fatal && host.life.waitReady(timeoutMilliseconds: -1) == .network)
      host.isOnline = false
      source.setOnline(false)
    }
  }

  @Test("Before the start a download is kept, not served, and no state follows from its failure")
  func download() {
    let outcomes = Locked<[FetchOutcome]>([])
    for status in [200, 503] {
      source.download { outcome in outcomes.change { $0.append(outcome) } }
      answerOpen(status, "new")
    }
    #expect(outcomes.value.map(\.status) == [.ok, .network])
    #expect(format.served.isEmpty && isStored("new"))
    #expect(!host.life.wasReady)
    #expect(host.life.state == .notReady)
  }
}
