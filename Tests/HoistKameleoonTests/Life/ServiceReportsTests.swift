import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("What the host is told of requests and configurations (protocols/kameleoon.md 4.7)")
struct ServiceReportsTests {
  private func event(_ timestamp: Int64) -> String { "event: configuration-update-event\ndata: {\"ts\":\(timestamp)}\n\n" }

  @Test(
    "The update handler is called for a configuration that a real-time event has brought, not for polls and 304 (KAM-43; ready)")
  func updateHandler() throws {
    let rig = try KameleoonRig(configuration: nil)
    let calls = Locked(0)
    let token = rig.face.observe(updateConfiguration: { calls.change { $0 += 1 } })
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration(streams: true)))
    rig.deliver()
    #expect(calls.value == 0)
    let stream = try #require(rig.transport.streams.first)
    stream.open()
    stream.receive(event(1))
    rig.passSecond()
    rig.answerFetch(answer(304))
    rig.deliver()
    #expect(calls.value == 0)
    stream.receive(event(2))
    rig.passSecond()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2", streams: true)))
    rig.deliver()
    #expect(calls.value == 1)
    #expect(rig.client.unobserve(token))
    stream.receive(event(3))
    rig.passSecond()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f3", streams: true)))
    rig.deliver()
    #expect(calls.value == 1)
  }

  @Test("Every configuration that is accepted is told, with its source and its date, the first included (KAM-B23; ready)")
  func datafileUpdates() throws {
    let rig = try KameleoonRig()
    let updates = Locked<[String]>([])
    rig.face.observe(datafileUpdate: { update in updates.change { $0.append("\(update.source) \(update.dateModified)") } })
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration(streams: true, dateModified: 7)))
    rig.transport.streams.first?.open()
    rig.transport.streams.first?.receive(event(1))
    rig.passSecond()
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2")))
    rig.deliver()
    #expect(updates.value == ["polling 7", "streaming 0"])
  }

  @Test("Every attempt is told, with how it ended and how long it took (KAM-B23; starting, failing)")
  func attempts() throws {
    let rig = try KameleoonRig(configuration: nil)
    let attempts = Locked<[String]>([])
    rig.face.observe(httpRequest: { attempt in
      attempts.change { $0.append("\(attempt.kind) \(attempt.end) \(attempt.status) \(attempt.milliseconds) \(attempt.reason)") }
    })
    rig.scheduler.advance(milliseconds: 40)
    rig.answerFetch(noAnswer)
    rig.scheduler.advance(milliseconds: 20)
    rig.answerFetch(answer(500))
    rig.scheduler.advance(milliseconds: 3000)
    rig.answerFetch()
    rig.deliver()
    #expect(attempts.value.count == 3)
    #expect(attempts.value.first == "datafile noAnswer 0 40 unreachable")
    #expect(attempts.value.dropFirst().first == "datafile refused 500 20 ")
    #expect(attempts.value.last?.hasPrefix("datafile succeeded 200 ") == true)
  }

  @Test("Every observer is called, until its registration ends (KAM-B23; starting)")
  func everyObserverIsCalled() throws {
    let rig = try KameleoonRig(configuration: nil)
    let heard = Locked<[Int]>([])
    let tokens = (1...3).map { number in rig.face.observe(httpRequest: { _ in heard.change { $0.append(number) } }) }
    #expect(rig.client.unobserve(tokens[1]) && !rig.client.unobserve(tokens[1]))
    rig.answerFetch()
    rig.deliver()
    #expect(heard.value == [1, 3])
  }
}
