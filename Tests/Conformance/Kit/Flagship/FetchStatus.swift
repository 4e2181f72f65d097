import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// The calls of both status listeners, step by step (5.1, 5.3).
func runFetchStatus(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let play = StatusPlay(mode: test["mode"]?.string ?? "")
    for step in test["steps"]?.array.map({ Array($0) }) ?? [JSONValue]() {
      let call = step["call"]?.string ?? ""
      let told = play.step(call, server: step["server"]?.string ?? "-")
      let expected = step["expected"]
      let fetches = expected?["onFetchStatusChanged"]?.array?.map { pair in
        pair.array?.compactMap(\.string).joined(separator: " ") ?? ""
      }
      let statuses = expected?["onSdkStatusChanged"]?.array?.compactMap(\.string)
      report.check(
        "\(id) \"\(call)\"", expected: "\(fetches ?? []) \(statuses ?? [])", actual: "\(told.fetches) \(told.statuses)")
    }
  }
}

/// Carries out the steps of one case: on one visitor, unless a step makes another.
private final class StatusPlay {
  private static let answerBody =
    #"{"campaigns":[{"id":"c1","variationGroupId":"g1","variation":{"id":"v1","modifications":{"value":{"f":"x"}}}}]}"#
  private static let file =
    #"{"campaigns":[{"id":"c1","variationGroups":[{"id":"g1","targeting":{"targetingGroups":[{"targetings":[]}]},"#
    + #""variations":[{"id":"v1","allocation":100,"modifications":{"value":{"f":"x"}}}]}]}]}"#
  private static let statusNames: [SDKStatus: String] = [
    .notInitialized: "SDK_NOT_INITIALIZED", .initializing: "SDK_INITIALIZING", .initialized: "SDK_INITIALIZED",
    .panic: "SDK_PANIC",
  ]

  private final class Heard: VisitorListener, FlagshipObserver {
    let fetches = Locked<[String]>([])
    let statuses = Locked<[SDKStatus]>([])
    func fetchStatusChanged(_ visitor: FlagshipVisitor, _ status: FetchStatus, _ reason: FetchReason) {
      fetches.change { $0.append("\(status.name) \(reason.name)") }
    }
    func sdkStatusChanged(_ status: SDKStatus) { statuses.change { $0.append(status) } }
    func bucketingChanged() {}
    var hearsOfExposures: Bool { false }
    func exposed(visitor: [UInt8], flag: [UInt8]) {}
  }

  private let isBucketing: Bool
  private let server = Locked("success")
  private let heard = Heard()
  private let world: FlagshipWorld?
  private var visitor: FlagshipVisitor?

  init(mode: String) {
    isBucketing = mode == "BUCKETING"
    let server = server
    world = FlagshipWorld(
      ["mode": isBucketing ? "bucketing" : "decision_api", "autostart": "false"],
      cacheManager: MemoryCacheManager()
    ) { request in
      let isFile = request.url.contains("bucketing.json")
      guard isFile || request.url.contains("/campaigns") else { return answer(204) }
      return switch server.value {
      case "500": answer(500)
      case "panic": answer(200, #"{"panic":true}"#)
      default: answer(200, isFile ? Self.file : Self.answerBody)
      }
    }
    world?.face.observe(heard)
  }

  func step(_ text: String, server answer: String) -> (fetches: [String], statuses: [String]) {
    if answer != "-" { server.value = answer }
    for call in text.split(separator: ";") { perform(call.drop { $0 == " " }) }
    defer {
      heard.fetches.value = []
      heard.statuses.value = []
    }
    return (heard.fetches.value, heard.statuses.value.map { Self.statusNames[$0] ?? "" })
  }

  private func perform(_ call: Substring) {
    guard let world else { return }
    if call.hasPrefix("start(") {
      _ = world.face.start()
      world.settle { self.isBucketing ? world.face.status == .initialized : true }
      // Of the visitor before the start nothing more is told.
      visitor = nil
    }
    if call.hasPrefix("newVisitor(") || visitor == nil, !call.hasPrefix("start("), !call.hasPrefix("wait") {
      let name = call.hasPrefix("newVisitor(v0)") ? "v0" : "v1"
      visitor = world.visitor(name) { $0.listener = self.heard }
    }
    guard let visitor else { return }
    if call.hasPrefix("fetchFlags") {
      let ended = Locked(false)
      _ = visitor.fetch { _ in ended.value = true }
      world.settle { ended.value }
      // What an earlier run has left is read from the cache; neither before the start nor in panic anything is kept.
      let isKept = world.face.status != .notInitialized && world.face.status != .panic
      let id = String(decoding: visitor.id, as: UTF8.self)
      world.settle { !isKept || world.hasKept(id) }
    }
    if call.hasPrefix("poll brings") {
      world.scheduler.advance(milliseconds: 60_000)
      world.settle { (world.face.status == .panic) == (self.server.value == "panic") }
    }
    if call.hasPrefix("updateContext(") { _ = visitor.updateContext([Attribute(name: Array("k2".utf8), value: .string([120]))]) }
    if call.hasPrefix("clearContext") { _ = visitor.clearContext() }
    if call.hasPrefix("authenticate(log1)") { _ = visitor.authenticate(as: Array("log1".utf8)) }
    if call.hasPrefix("unauthenticate") { _ = visitor.unauthenticate() }
    world.settleWithStore()
  }
}
