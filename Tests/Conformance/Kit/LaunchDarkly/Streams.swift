import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly
import HoistTestSupport

/// Chunks of bytes to events (protocol 2.2).
func runServerSentEvents(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var parser = ServerSentEventParser()
    var events: [ServerSentEvent] = []
    var retry: Int64?
    for chunk in test["chunks_base64"]?.array.map(Array.init) ?? [] {
      let bytes = Base64.decode(chunk.string ?? "") ?? []
      for item in bytes.withUnsafeBytes({ parser.feed($0) }) {
        switch item {
        case .event(let event): events.append(event)
        case .retry(let milliseconds): retry = milliseconds
        case .comment: break
        case .failed(let error): report.fail(id, expected: "no limit reached", actual: "\(error)")
        }
      }
    }
    let actual = canonical { writer in
      writer.array { writer in
        for event in events {
          writer.object { writer in
            writer.member("type", event.type)
            writer.member("data", String(decoding: event.data, as: UTF8.self))
            writer.member("id", event.id)
          }
        }
      }
    }
    report.check(id, expected: test["events"]?.canonicalText ?? "-", actual: actual)
    if let expected = test["retry_ms"]?.int64 {
      report.check("\(id) retry", expected: "\(expected)", actual: retry.map { "\($0)" } ?? "-")
    }
  }
}

/// Between which pauses chance decides before the stream is opened again (protocol 2.5). Whole milliseconds lie between
/// the halves that the vectors name.
func runStreamBackoff(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var pace = ReconnectPace(base: 1000, firstDoublings: 1)
    let events = test["events"]?.array.map(Array.init) ?? []
    let actual = events.map { event -> String in
      if let base = event["retry_ms"]?.int64 { pace.serviceAsks(forMilliseconds: base) }
      let pauses = pace.next(openMilliseconds: event["open_ms"]?.int64)
      return "\(pauses.lowerBound)…\(pauses.upperBound)"
    }
    let expected = (test["delays_ms"]?.array.map(Array.init) ?? []).map { pauses -> String in
      let ends = pauses.array.map(Array.init)?.compactMap(\.double) ?? []
      guard ends.count == 2 else { return "-" }
      return "\(Int64(ends[0].rounded(.up)))…\(Int64(ends[1].rounded(.down)))"
    }
    report.check(id, expected: expected.joined(separator: ", "), actual: actual.joined(separator: ", "))
  }
}

/// What statuses mean for the stream, for polls and for events (protocol 2.3 to 2.5). Redirects are followed below.
func runHTTPStatuses(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let status = Int(clamping: test["status"]?.int64 ?? 0)
    func check(_ member: String, _ actual: String) {
      let expected = test.object?.member(member)?.idText ?? "-"
      // What counts is what happens to a redirect that leads nowhere.
      let prefix = "redirect_or_"
      let text = expected.utf8.starts(with: prefix.utf8) ? String(expected.dropFirst(prefix.count)) : expected
      report.check("\(id) \(member)", expected: text, actual: actual)
    }
    let stream =
      switch StreamVerdict(status: status) {
      case .open: "open"
      case .retry: "retry"
      case .stop: "stop"
      case .stopAndGoOffline: "stop_and_offline"
      }
    check("stream", stream)
    let isRedirect = test["poll"]?.string?.utf8.starts(with: "redirect".utf8) == true
    let poll =
      switch PollVerdict(status: status) {
      case .use: "use"
      case .upToDate: "up_to_date"
      case .goOffline: "offline"
      case .failed: isRedirect ? "error" : "error_next_interval"
      }
    check("poll", poll)
    check("poll_report_retries_with_get", "\(PollVerdict.repeatsWithGET(status: status))")
    let eventPost =
      switch EventAnswerClass(status: status) {
      case .taken: "ok"
      case .passing: "retry_once_after_1s"
      case .unauthorized: "drop_and_offline"
      case .refused: "drop"
      }
    check("event_post", eventPost)
  }
}
