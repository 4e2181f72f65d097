import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// Documents are texts with blanks behind them; large ones are held until `open`.
private final class SlowTexts: ConfigurationFormat, @unchecked Sendable {
  private let host: TestHost
  private let gate = Locked(HoistCore.Completion<Bool>())
  let begun = Locked<[String]>([])
  let discarded = Locked<[String]>([])
  private(set) var served: [String] = []
  var given = GivenDocument(bytes: nil, path: "", property: "", limitBytes: 0)

  init(_ host: TestHost) { self.host = host }

  func open() {
    gate.value.give(true)
    gate.value = HoistCore.Completion()
  }

  static func large(_ text: String) -> String { text + String(repeating: " ", count: DocumentCompiler.largeBytes) }

  var name: String { "the text" }
  func compile(_ document: [UInt8]) throws(FetchFailure) -> String {
    let text = String(decoding: document.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    if document.count >= DocumentCompiler.largeBytes {
      let open = gate.value
      #expect(!host.time.standsInForItsThread, "a large document is compiled elsewhere")
      begun.change { $0.append(text) }
      _ = open.wait(untilNanoseconds: .max)
    }
    if text == "broken" { throw FetchFailure(.parse, "it is broken") }
    return text
  }
  func discard(_ configuration: String) { discarded.change { $0.append(configuration) } }
  func serve(_ configuration: String, from origin: ConfigurationOrigin) { served.append("\(origin) \(configuration)") }
  func request() -> HTTPRequest { HTTPRequest(method: "GET", url: "http://localhost/text") }
}

@Suite("Large documents are compiled on a lane of the client's") struct LargeDocumentTests {
  private let host: TestHost
  private let format: SlowTexts
  private let source: ConfigurationSource<SlowTexts>

  init() {
    host = TestHost(manager: MemoryCacheManager(clock: SystemClock()))
    format = SlowTexts(host)
    source = ConfigurationSource(
      host: host, format: format, storageKey: "text", pace: RegularPace(interval: 0, limit: 300_000),
      options: .init(headerProvider: nil))
  }

  private func start(_ start: ConfigurationStart = ConfigurationStart()) -> Locked<[FetchFailure?]> {
    let ended = Locked<[FetchFailure?]>([])
    source.start(start) { failure in ended.change { $0.append(failure) } }
    host.time.run()
    return ended
  }

  private func store(_ text: String) {
    DocumentStorage(store: host.store, key: "text").save(StoredDocument(bytes: Array(text.utf8), lastModified: nil))
  }

  private func answerOpen(_ status: Int, _ text: String = "") {
    host.settle { !host.network.open.isEmpty }
    host.network.open.first?.complete(answer(status, text))
    host.time.run()
  }

  /// A large document that is being compiled.
  private func arrive(_ text: String, _ beginning: ConfigurationStart = ConfigurationStart()) -> Locked<[FetchFailure?]> {
    let ended = start(beginning)
    answerOpen(200, SlowTexts.large(text))
    host.settle { format.begun.value.last == text }
    return ended
  }

  @Test("Meanwhile the scheduler goes on, what was served stays, and who asks for a fetch waits for this one (ready)")
  func meanwhile() {
    _ = start()
    answerOpen(200, "old")
    let outcomes = Locked<[FetchOutcome]>([])
    source.fetch { outcome in outcomes.change { $0.append(outcome) } }
    answerOpen(200, SlowTexts.large("new"))
    host.settle { format.begun.value == ["new"] }
    source.fetch { outcome in outcomes.change { $0.append(outcome) } }
    host.time.advance(milliseconds: 60_000)
    #expect(format.served == ["service old"] && outcomes.value.isEmpty && host.network.open.isEmpty)
    format.open()
    host.settle { outcomes.value.count == 2 }
    #expect(format.served == ["service old", "service new"] && outcomes.value.map(\.status) == [.ok, .ok])
  }

  @Test("Starting: the stored one is served when it is compiled, and the service is asked after that")
  func stored() {
    store(SlowTexts.large("old"))
    let ended = start()
    host.settle { format.begun.value == ["old"] }
    #expect(ended.value.isEmpty && host.network.requests.isEmpty && host.life.state == .notReady)
    format.open()
    host.settle { ended.value.count == 1 }
    #expect(format.served == ["stored old"] && ended.value == [nil] && host.network.open.count == 1)
  }

  @Test("Starting late: a small one that comes while the stored one is compiled is served after it")
  func inOrder() {
    store(SlowTexts.large("old"))
    let ended = start(ConfigurationStart(waitsForFetch: true))
    host.settle { !host.network.open.isEmpty }
    source.endWaiting(FetchFailure(.timeout, "late"), isReported: true)
    host.settle { format.begun.value == ["old"] }
    answerOpen(200, "new")
    #expect(format.served.isEmpty && ended.value.isEmpty)
    format.open()
    host.settle { format.served.count == 2 }
    #expect(format.served == ["stored old", "service new"] && ended.value == [nil])
    #expect(host.life.state == .ready)
  }

  @Test(
    "What is compiled when the source stops is let go of, and a start tells nobody (closing, closed)", arguments: [true, false])
  func stopped(isStored: Bool) {
    if isStored { store(SlowTexts.large("old")) }
    let ended = isStored ? start() : arrive("old")
    host.settle { format.begun.value == ["old"] }
    let told = ended.value.count
    source.stop()
    format.open()
    host.settle { format.discarded.value == ["old"] }
    #expect(format.served.isEmpty && ended.value.count == told && !source.isServed)
  }

  @Test("So it is when the client goes offline; online again it is fetched anew (offline)") func offline() {
    _ = arrive("old")
    host.isOnline = false
    source.setOnline(false)
    format.open()
    host.settle { format.discarded.value == ["old"] }
    #expect(format.served.isEmpty)
    host.isOnline = true
    source.setOnline(true)
    answerOpen(200, "new")
    #expect(format.served == ["service new"])
  }

  @Test("Another start counts, and not what the former one has fetched (reopened)") func reopened() {
    _ = arrive("old")
    let ended = start()
    answerOpen(200, "new")
    format.open()
    host.settle { format.served.count == 1 }
    #expect(format.served == ["service new"] && format.discarded.value == ["old"])
    #expect(ended.value.count == 1)
  }

  @Test("A forked child begins anew, and waits for nothing of its parent's (forked)") func forked() {
    _ = arrive("old")
    host.time.simulateFork()
    source.abandonAfterFork()
    _ = start()
    answerOpen(200, "new")
    #expect(format.served == ["service new"], "in this step")
    format.open()
  }

  @Test("One that is broken is a failure, and what is stored serves a start that waits (failing)") func broken() {
    store("old")
    let ended = start(ConfigurationStart(waitsForFetch: true))
    answerOpen(200, SlowTexts.large("broken"))
    host.settle { format.begun.value == ["broken"] }
    #expect(ended.value.isEmpty)
    format.open()
    host.settle { ended.value.count == 1 }
    #expect(format.served == ["stored old"] && ended.value == [nil] && host.life.state == .stale)
    #expect(host.lines.messages(.warning).contains { $0.contains("the text: it is broken") })
  }
}
