import Glibc
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// The request for a visitor's decisions (3.2).
func runDecisionRequests(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let properties = ["env_id": root["envId"]?.string ?? "", "api_key": root["apiKey"]?.string ?? ""]
    let world = FlagshipWorld(properties) { request in
      request.url.contains("/campaigns") ? answer(200, #"{"campaigns":[]}"#) : answer(204)
    }
    guard let world, let expected = test["expected"] else { return report.fail(id, expected: "a client", actual: "(none)") }
    let visitor = world.visitor(test["visitorId"]?.string ?? "") { options in
      options.hasConsented = test["consent"]?.bool ?? true
      options.context = pairs(test["context"])
    }
    _ = visitor?.fetch(completion: nil)
    world.settle()
    let requests = world.transport.requests.filter { $0.url.contains("/campaigns") }
    guard let request = requests.first, requests.count == 1 else {
      return report.fail(id, expected: "one request", actual: "\(requests.count)")
    }
    let flaws = flaws(of: request, expected)
    report.check(id, expected: "", actual: flaws.joined(separator: "; "))
  }
}

private func pairs(_ context: JSONValue?) -> [Attribute] {
  var writer = JSONWriter(wholeDoubles: .withFraction)
  writer.object { writer in
    for member in context?.object.map({ Array($0) }) ?? [] {
      writer.key(utf8: member.key.utf8)
      writer.raw(member.value["v"]?.source ?? Array("null".utf8))
    }
  }
  return FlagshipVisitor.pairs(ofJSON: writer.bytes) ?? []
}

/// What a request has otherwise than it should.
private func flaws(of request: HTTPRequest, _ expected: JSONValue) -> [String] {
  var flaws: [String] = []
  func compare(_ what: String, _ expected: String?, _ actual: String?) {
    if expected != actual { flaws.append("\(what) is \(actual ?? "-"), not \(expected ?? "-")") }
  }
  let objects = ["query", "headers", "bodyMustContain", "contextMustContain"]
  for (name, value) in namedMembers(expected) where objects.contains(name) && value.object == nil {
    flaws.append("\(name) is no object")
  }
  compare("method", expected["method"]?.string, request.method)
  let parts = request.url.split(separator: "?", maxSplits: 1).map(String.init)
  compare("url", expected["url"]?.string, parts.first)
  let query = Set(
    (parts.count > 1 ? parts[1] : "").split(separator: "&").map {
      $0 == "extras%5B%5D=accountSettings" ? "extras[]=accountSettings" : String($0)
    })
  let wanted = Set(namedMembers(expected["query"]).map { "\($0.name)=\($0.value.string ?? "")" })
  if query != wanted { flaws.append("query is \(query.sorted())") }
  for (name, value) in namedMembers(expected["headers"]) { compare(name, value.string, request.headers.value(of: name)) }
  guard let body = try? JSONDocument(parsing: request.body ?? []) else { return flaws + ["the body is no JSON"] }
  body.withRoot { body in
    for (name, value) in namedMembers(expected["bodyMustContain"]) {
      compare(name, value.canonicalText, body.object?.member(name)?.canonicalText)
    }
    for (name, value) in namedMembers(expected["contextMustContain"]) {
      compare("context.\(name)", value.canonicalText, body["context"]?.object?.member(name)?.canonicalText)
    }
    let allowed = expected["allowedBodyKeys"]?.array.map { $0.compactMap(\.string) } ?? []
    for (name, _) in namedMembers(body) where !allowed.contains(name) { flaws.append("\(name) is not allowed") }
  }
  return flaws
}

private func namedMembers(_ value: JSONValue?) -> [(name: String, value: JSONValue)] {
  value?.object.map { $0.map { (String(decoding: $0.key.utf8, as: UTF8.self), $0.value) } } ?? []
}

private func dated(_ date: String) -> [HTTPHeader] { [HTTPHeader("Last-Modified", date)] }

/// Downloads of the bucketing file, one step after the other, the last one after a restart (3.3, 5.1).
func runBucketingDownloads(_ root: JSONValue, _ report: Report) {
  let days = ["Mon, 01", "Tue, 02", "Wed, 03"].map { "\($0) Jan 2024 00:00:00 GMT" }
  let file = #"{"campaigns":[]}"#
  let answers = [
    answer(200, file, dated(days[0])), answer(304), answer(200, #"{"panic":true}"#, dated(days[1])),
    answer(200, file, dated(days[2])), answer(304),
  ]
  let cache = MemoryCacheManager()
  var properties = ["mode": "bucketing", "polling_interval": "1", "store": "memory"]
  if let environment = root["envId"]?.string { properties["env_id"] = environment }
  var world = FlagshipWorld(properties, cacheManager: cache) { _ in nil }
  var number = 0
  forEachCase(root) { id, test in
    defer { number += 1 }
    if test["step"]?.string?.hasPrefix("restart") ?? false {
      world?.closeInTime()
      world = FlagshipWorld(properties, cacheManager: cache) { _ in nil }
    }
    guard let world, number < answers.count else { return report.fail(id, expected: "a client", actual: "(none)") }
    world.scheduler.advance(milliseconds: 1_000)
    world.settle { !world.transport.open.isEmpty }
    guard let exchange = world.transport.open.first else { return report.fail(id, expected: "a request", actual: "(none)") }
    let request = exchange.request
    exchange.complete(answers[number])
    world.settle()
    let actual = canonical { writer in
      writer.object { writer in
        writer.member("method", request.method)
        writer.member("path", String(request.url.dropFirst("https://cdn.flagship.io".count)))
        writer.key("ifModifiedSince")
        if let date = request.headers.value(of: "If-Modified-Since") { writer.string(date) } else { writer.null() }
        writer.member("sdkStatusAfter", world.face.status.vendorName)
      }
    }
    report.check(id, expected: test["expected"]?.canonicalText ?? "-", actual: actual)
  }
}

extension FlagshipWorld {
  /// Carries out what is due until `isDone`: the store answers from a thread of its own.
  func settle(until isDone: () -> Bool) {
    for _ in 0..<20_000 {
      settle()
      if isDone() { return }
      usleep(250)
    }
  }

  /// Carries out what is due, and what the store has been asked: its calls are answered in their order.
  func settleWithStore() {
    let isAnswered = Locked(false)
    client.store.writeValues { _ in isAnswered.value = true }
    settle { isAnswered.value }
    settle()
  }

  /// Closes while the scheduler is driven from here, so that what is stored is written.
  func closeInTime() {
    let client = client
    let isClosed = Locked(false)
    let closing = Unmanaged.passRetained(
      Closing {
        _ = client.close(timeoutMilliseconds: 5_000)
        isClosed.value = true
      })
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Closing>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, closing.toOpaque())
    settle { isClosed.value }
    pthread_join(thread, nil)
  }
}

private final class Closing: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
