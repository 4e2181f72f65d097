import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Flags by polling (protocol 2.3)") struct FlagPollTests {
  private func rig(_ properties: [String: String] = [:]) throws -> SynchronizerRig {
    try SynchronizerRig(["streaming_mode": "polling"].merging(properties) { $1 })
  }

  @Test("Polls begin at once and follow a fixed rate, whatever answers take (LD-75, 2.3; ready, failing)")
  func pollsFollowAFixedRate() throws {
    let rig = try rig()
    let start = rig.now
    rig.begin()
    let first = try #require(rig.polls.last)
    #expect(
      first.request.url == "https://clientsdk.launchdarkly.com/msdk/evalx/contexts/eyJrZXkiOiJ1c2VyLTEiLCJraW5kIjoidXNlciJ9")
    #expect(first.request.method == "GET" && first.request.body == nil)
    #expect(first.request.timeoutMilliseconds == 10_000)
    #expect(rig.information.mode == .polling)
    rig.host.time.advance(milliseconds: 8000)
    first.complete(answer(200, #"{"a":{}}"#))
    rig.host.time.run()
    #expect(rig.told == [#"poll[] {"a":{}}"#] && rig.outcomes.value == [.updated])
    #expect(rig.information.lastKnownFlagValidityUnixMilliseconds == rig.now)
    for turn in 1...3 {
      rig.host.time.advance(milliseconds: start + Int64(turn) * 300_000 - rig.now - 1)
      #expect(rig.polls.count == turn)
      rig.host.time.advance(milliseconds: 1)
      #expect(rig.polls.count == turn + 1)
      rig.polls.last?.complete(answer(500))
      rig.host.time.run()
    }
  }

  @Test("2.3: a poll that is still under way is not joined by another; turns that were missed are left out")
  func slowPollsAreAlone() throws {
    let rig = try rig(["flag_polling_interval_ms": "100", "ignore_polling_minimum": "true"])
    rig.begin()
    rig.host.time.advance(milliseconds: 1050)
    #expect(rig.polls.count == 1)
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 49)
    #expect(rig.polls.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 2)
  }

  @Test("On request a refused poll is repeated, after 5 minutes at the earliest (LD-93; refused)", arguments: [401, 403])
  func refusedPollsAreRepeated(status: Int) throws {
    let rig = try rig(["retry_refused": "true", "flag_polling_interval_ms": "1000", "ignore_polling_minimum": "true"])
    rig.begin()
    rig.polls.last?.complete(answer(status))
    rig.host.time.advance(milliseconds: 299_999)
    #expect(rig.polls.count == 1 && rig.outcomes.value.isEmpty)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 2)
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 1000)
    #expect(rig.polls.count == 3 && rig.outcomes.value == [.updated] && !rig.told.contains("unauthorized"))
  }

  @Test("The tag of an answer goes with the next poll, verbatim; one without a tag ends it (LD-85, 2.3; ready)")
  func entityTagsGoAlong() throws {
    let rig = try rig()
    rig.begin(entityTag: "\"stored\"")
    #expect(rig.polls.last?.request.header("If-None-Match") == "\"stored\"")
    for (tag, next) in [("W/\"x\"", "W/\"x\"" as String?), ("bare", "bare"), ("", nil)] {
      rig.polls.last?.complete(answer(200, "{}", tag.isEmpty ? [] : [HTTPHeader("etag", tag)]))
      rig.host.time.advance(milliseconds: 300_000)
      #expect(rig.polls.last?.request.header("If-None-Match") == next)
    }
  }

  @Test("2.3: 304 confirms what is served, and keeps the tag")
  func notModifiedConfirms() throws {
    let rig = try rig()
    rig.begin(entityTag: "t")
    rig.host.time.advance(milliseconds: 500)
    rig.polls.last?.complete(answer(304))
    rig.host.time.run()
    #expect(rig.told == ["confirmed"] && rig.outcomes.value == [.confirmed])
    #expect(rig.information.lastKnownFlagValidityUnixMilliseconds == rig.now && rig.dataSource.state == .valid)
    rig.host.time.advance(milliseconds: 300_000)
    #expect(rig.polls.count == 2 && rig.polls.last?.request.header("If-None-Match") == "t")
  }

  @Test(
    "2.3, G3: an answer that cannot be used changes nothing but the tag",
    arguments: [
      answer(200, "nonsense"), answer(200, "[]"), answer(200, ""), answer(202, "{}"), answer(204), answer(302),
      answer(400), answer(403), answer(404), answer(405), answer(408), answer(429), answer(500), answer(501), noAnswer,
    ])
  func uselessAnswersChangeNothing(useless: ScriptedTransport.Answer) throws {
    let rig = try rig()
    rig.begin(entityTag: "t")
    rig.polls.last?.complete(answer(200, "{}", [HTTPHeader("ETag", "u")]))
    rig.host.time.advance(milliseconds: 300_000)
    rig.polls.last?.complete(useless)
    rig.host.time.run()
    #expect(rig.told.first == "poll[u] {}" && rig.outcomes.value == [.updated] && rig.state == .stale)
    #expect(rig.topics == [.ready, .state, .fetchFailed, .error, .state])
    #expect(rig.information.lastFailedConnectionUnixMilliseconds == rig.now && rig.information.mode == .polling)
    #expect(rig.polls.count == 2)
    rig.host.time.advance(milliseconds: 300_000)
    #expect(rig.polls.count == 3 && rig.polls.last?.request.header("If-None-Match") == nil)
  }

  @Test("5.8: the reason of the last failure is a status, or what the network says")
  func reasonsAreKept() throws {
    let rig = try rig()
    rig.begin()
    rig.polls.last?.complete(answer(503))
    rig.host.time.run()
    #expect(rig.information.lastFailureReason == .httpError(503))
    #expect(rig.dataSource.lastFailure?.kind == .response && rig.dataSource.lastFailure?.status == 503)
    // Nothing has come yet: there is nothing to be interrupted.
    #expect(rig.dataSource.state == .initializing && rig.host.states.value.last == .error)
    rig.host.time.advance(milliseconds: 300_000)
    rig.polls.last?.complete(noAnswer)
    rig.host.time.run()
    #expect(rig.information.lastFailureReason == .unknownError("unreachable"))
    #expect(rig.outcomes.value.isEmpty)
  }

  @Test("401 goes offline (LD-75, 2.3; refused)")
  func unauthorizedGoesOffline() throws {
    let rig = try rig()
    rig.begin()
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 300_000)
    rig.polls.last?.complete(answer(401))
    rig.host.time.advance(milliseconds: 3_600_000)
    #expect(rig.told == ["poll[] {}", "unauthorized"] && rig.polls.count == 2)
    #expect(rig.information.mode == .offline && rig.information.lastFailureReason == .unauthorized)
    // What was served stays, and nothing is tried any more: contract 1.
    #expect(rig.host.states.value == [.ready, .fatal])
  }

  @Test("2.3: a service that refuses REPORT is asked by GET at once", arguments: [400, 405, 501])
  func refusedReportsAreRepeated(status: Int) throws {
    let rig = try rig(["use_report": "true", "evaluation_reasons": "true"])
    rig.begin()
    let report = try #require(rig.polls.last)
    #expect(report.request.method == "REPORT" && report.request.text == #"{"key":"user-1","kind":"user"}"#)
    #expect(report.request.url == "https://clientsdk.launchdarkly.com/msdk/evalx/context?withReasons=true")
    report.complete(answer(status))
    rig.host.time.run()
    #expect(rig.polls.count == 2)
    let get = try #require(rig.polls.last)
    #expect(get.request.method == "GET" && get.request.body == nil && get.request.url.hasSuffix("?withReasons=true"))
    get.complete(answer(status))
    rig.host.time.run()
    #expect(rig.polls.count == 2 && rig.information.lastFailureReason == .httpError(status))
    // The next turn asks by REPORT again.
    rig.host.time.advance(milliseconds: 300_000)
    #expect(rig.polls.last?.request.method == "REPORT")
  }

  @Test("2.3: other refusals of REPORT are not repeated", arguments: [403, 404, 500, 503])
  func otherRefusalsAreNotRepeated(status: Int) throws {
    let rig = try rig(["use_report": "true"])
    rig.begin()
    rig.polls.last?.complete(answer(status))
    rig.host.time.run()
    #expect(rig.polls.count == 1)
  }

  @Test("Flags that were confirmed lately wait for their turn, and are not the service's word of now (LD-76, 2.3; starting)")
  func freshFlagsWait() throws {
    let rig = try rig()
    rig.begin(updated: rig.now - 100_000)
    #expect(rig.told.isEmpty && rig.outcomes.value == [.confirmed] && rig.polls.isEmpty)
    #expect(rig.host.states.value.last != .ready)
    rig.host.time.advance(milliseconds: 199_999)
    #expect(rig.polls.isEmpty)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 1)
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 300_000)
    #expect(rig.polls.count == 2)
  }

  @Test(
    "2.3, G2: times of a file that make no sense are not fresh",
    arguments: [
      Int64.min, -1, 0, 1_700_000_000_001, .max, 1_700_000_000_000 - 300_000,
    ])
  func oddTimesAreNotFresh(updated: Int64) throws {
    let rig = try rig()
    rig.begin(updated: updated)
    #expect(rig.polls.count == 1 && rig.told.isEmpty)
  }

  @Test("In the background the other interval holds (LD-75, 5.7; background)")
  func theBackgroundHasItsInterval() throws {
    let rig = try rig(["enable_background_updates": "true"])
    rig.synchronizer.setForeground(false)
    rig.begin()
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 3_599_999)
    #expect(rig.polls.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 2)
  }

  @Test("Contract 7: a refresh polls at once, and the rate goes on from there; offline it does nothing")
  func refreshBeginsTheRateAnew() throws {
    let rig = try rig()
    rig.synchronizer.refresh()
    #expect(rig.polls.isEmpty)
    rig.begin()
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 100_000)
    rig.synchronizer.refresh()
    rig.host.time.run()
    #expect(rig.polls.count == 2)
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 299_999)
    #expect(rig.polls.count == 2)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 3)
  }

  @Test("Contract 6: a poll that is to come later by the service's wish does")
  func retryAfterIsObeyed() throws {
    let rig = try rig()
    rig.begin()
    rig.polls.last?.complete(answer(429, "", [HTTPHeader("Retry-After", "400")]))
    rig.host.time.advance(milliseconds: 399_999)
    #expect(rig.polls.count == 1)
    rig.host.time.advance(milliseconds: 1)
    #expect(rig.polls.count == 2)
  }

  @Test("5.3: an answer that comes after the end counts no more")
  func lateAnswersCountNoMore() throws {
    let rig = try rig()
    rig.begin()
    let poll = try #require(rig.polls.last)
    rig.synchronizer.end()
    poll.completeUnduly(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 3_600_000)
    #expect(rig.told.isEmpty && rig.polls.count == 1 && rig.outcomes.value == [.superseded])
  }

  @Test("an episode of one failure is told once at warning")
  func episodesAreToldOnce() throws {
    let rig = try rig()
    rig.begin()
    for _ in 0..<5 {
      rig.polls.last?.complete(answer(503))
      rig.host.time.advance(milliseconds: 300_000)
    }
    #expect(rig.host.lines.messages(.warning).filter { $0.contains("503") }.count == 1)
    rig.polls.last?.complete(answer(200, "{}"))
    rig.host.time.advance(milliseconds: 300_000)
    rig.polls.last?.complete(answer(503))
    rig.host.time.run()
    #expect(rig.host.lines.messages(.warning).filter { $0.contains("503") }.count == 2)
  }

  @Test("2.3, 5.6: who asks while a poll is under way gets another one, and each answer is told once")
  func whoAsksMeanwhileIsServed() throws {
    let rig = try rig()
    rig.begin(entityTag: "t")
    for _ in 0..<3 { rig.synchronizer.refresh() }
    #expect(rig.polls.count == 1)
    rig.polls.last?.complete(answer(304))
    rig.host.time.advance(milliseconds: 1000)
    #expect(rig.polls.count == 2 && rig.told == ["confirmed"])
    rig.polls.last?.complete(answer(304))
    rig.host.time.run()
    #expect(rig.polls.count == 2 && rig.told == ["confirmed", "confirmed"])
  }

  @Test("2.3: nobody is asked again after the end, or after a refusal", arguments: [true, false])
  func whoAsksMeanwhileIsForgotten(byEnd: Bool) throws {
    let rig = try rig()
    rig.begin()
    rig.synchronizer.refresh()
    if byEnd { rig.synchronizer.end() } else { rig.polls.last?.complete(answer(401)) }
    rig.host.time.advance(milliseconds: 3_600_000)
    #expect(rig.polls.count == 1)
  }
}
