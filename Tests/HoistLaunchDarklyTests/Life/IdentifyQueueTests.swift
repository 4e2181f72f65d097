import HoistBase
import HoistCore
import HoistTestSupport
import Testing
@testable import HoistLaunchDarkly

@Suite("Changes of the context go one at a time (LD-20 to LD-23, 5.5; no client)") struct IdentifyQueueTests {
  /// Changes that end when the test says so.
  private final class Changes: IdentifyDelegate, @unchecked Sendable {
    var begun: [String] = []
    var ends: [@Sendable (Status) -> Void] = []

    func run(_ request: IdentifyRequest, completion: @escaping @Sendable (Status) -> Void) {
      begun.append(request.context.frozen.targetingKey.map { String(decoding: $0, as: UTF8.self) } ?? "")
      if endsAtOnce { completion(.ok) } else { ends.append(completion) }
    }
    var endsAtOnce = false
    func end(_ status: Status = .ok) { ends.removeFirst()(status) }
  }

  private let host = TestHost()
  private let changes = Changes()
  private let queue: IdentifyQueue
  private let told = Locked<[String]>([])

  init() {
    queue = IdentifyQueue(scheduler: host.time, log: host.log)
    queue.delegate = changes
  }

  private func identify(_ key: String, isSheddable: Bool = true, timeout: Int64 = -1) throws {
    let told = told
    let request = IdentifyRequest(try #require(EvaluationContext(targetingKey: key).reference()), isSheddable: isSheddable) {
      status in
      told.change { $0.append("\(key) \(status.rawValue)") }
    }
    queue.add(request, timeoutMilliseconds: timeout)
  }

  @Test func ofThoseThatWaitTheNewestStays() throws {
    for key in ["a", "b", "c"] { try identify(key) }
    #expect(changes.begun == ["a"] && told.value == ["b 1212"])
    changes.end()
    changes.end()
    #expect(changes.begun == ["a", "c"] && told.value == ["b 1212", "a 0", "c 0"])
  }

  @Test func whatCannotBeShedIsDoneInOrder() throws {
    for key in ["a", "b", "c"] { try identify(key, isSheddable: false) }
    try identify("d")
    try identify("e")
    for _ in 0..<4 { changes.end() }
    #expect(changes.begun == ["a", "b", "c", "e"] && told.value == ["d 1212", "a 0", "b 0", "c 0", "e 0"])
  }

  @Test("After its timeout a change goes on, and what waits behind it goes on waiting (LD-23, complaint 11; no client)")
  func aTimeoutIsOnlyANotification() throws {
    try identify("a", timeout: 5_000)
    try identify("b")
    host.time.advance(milliseconds: 4_999)
    #expect(told.value == [])
    host.time.advance(milliseconds: 1)
    #expect(told.value == ["a 3"] && changes.begun == ["a"])
    changes.end()
    #expect(told.value == ["a 3"] && changes.begun == ["a", "b"])
    #expect(host.lines.lines.contains { $0.message.contains("done after its timeout") })
    #expect(host.time.pendingTimerCount == 0)
  }

  @Test func aTimeoutCountsFromTheCallAlsoWhileItWaits() throws {
    try identify("a")
    try identify("b", timeout: 1_000)
    host.time.advance(milliseconds: 1_000)
    #expect(told.value == ["b 3"])
    changes.end()
    changes.end()
    #expect(changes.begun == ["a", "b"] && told.value == ["b 3", "a 0"])
  }

  @Test func aLongTimeoutIsWarnedOf() throws {
    try identify("a", timeout: 15_000)
    #expect(!host.lines.lines.contains { $0.message.contains("timeout of") })
    try identify("b", timeout: 15_001)
    #expect(host.lines.lines.contains { $0.message.contains("timeout of 15001 ms") })
  }

  @Test("The reason of a failure is told (ruling A7)") func failuresAreTold() throws {
    try identify("a")
    changes.end(.launchDarklyUnauthorized)
    #expect(told.value == ["a 1210"])
  }

  @Test("Closing tells everybody (LD-21; closing)") func closingTellsEverybody() throws {
    for key in ["a", "b"] { try identify(key, timeout: 1_000) }
    queue.stop()
    #expect(told.value == ["a 12", "b 12"])
    changes.end()
    host.time.advance(milliseconds: 2_000)
    #expect(told.value.count == 2 && queue.inFlight == nil)
    try identify("c")
    #expect(changes.begun == ["a", "c"])
  }

  @Test("A forked child begins with an empty queue (LD-21, G9; forked)") func aChildForgetsTheParentsWishes() throws {
    for key in ["a", "b"] { try identify(key) }
    queue.abandonAfterFork()
    try identify("c")
    #expect(told.value == [] && changes.begun == ["a", "c"])
  }

  @Test func manyThatAreDoneAtOnceTakeNoStack() throws {
    try identify("first")
    for _ in 0..<9_000 { try identify("u", isSheddable: false) }
    changes.endsAtOnce = true
    changes.end()
    #expect(changes.begun.count == 9_001 && told.value.count == 9_001 && queue.inFlight == nil)
    for _ in 0..<2 { try identify("later") }
    #expect(changes.begun.count == 9_003)
  }

  @Test func anAnswerThatComesTwiceCountsOnce() throws {
    try identify("a")
    let end = try #require(changes.ends.first)
    try identify("b")
    end(.ok)
    end(.network)
    #expect(told.value == ["a 0"] && changes.begun == ["a", "b"] && queue.inFlight != nil)
  }
}
