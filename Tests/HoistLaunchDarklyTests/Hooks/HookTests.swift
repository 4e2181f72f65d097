import HoistBase
import HoistTestSupport
import Testing

@testable import HoistCore
@testable import HoistLaunchDarkly

/// Writes down what it is told, and counts its data up.
final class NotingHook: LaunchDarklyHook, @unchecked Sendable {
  let name: String
  private let seen: Locked<[String]>
  private let failing: Set<String>

  init(_ name: String, _ seen: Locked<[String]>, failing: Set<String> = []) {
    (self.name, self.seen, self.failing) = (name, seen, failing)
  }

  private func note(_ stage: String, _ text: String, _ data: UnsafeMutableRawPointer?) -> Status {
    let number = data.map { " data \(UInt(bitPattern: $0))" } ?? ""
    seen.change { $0.append("\(name) \(stage) \(text)\(number)") }
    return failing.contains(stage) ? .plugin : .ok
  }

  private func told(_ series: EvaluationSeries) -> String {
    "\(series.flagKey.string) \(series.method) \(series.fallback.string) \(series.context?.string ?? "-") "
      + (series.environmentID?.string ?? "-")
  }

  func beforeEvaluation(_ series: EvaluationSeries, _ data: inout UnsafeMutableRawPointer?) -> Status {
    defer { data = UnsafeMutableRawPointer(bitPattern: name == "1" ? 11 : 22) }
    return note("before", told(series), data)
  }
  func afterEvaluation(_ series: EvaluationSeries, _ data: UnsafeMutableRawPointer?, _ detail: EvaluationDetail) -> Status {
    note("after", "\(told(series)) \(detail.errorCode.text) \(detail.value.string)", data)
  }
  func beforeIdentify(_ series: IdentifySeries, _ data: inout UnsafeMutableRawPointer?) -> Status {
    defer { data = UnsafeMutableRawPointer(bitPattern: name == "1" ? 11 : 22) }
    return note("beforeIdentify", "\(series.context.string) \(series.timeoutMilliseconds)", data)
  }
  func afterIdentify(_ series: IdentifySeries, _ data: UnsafeMutableRawPointer?, _ result: Status) -> Status {
    note("afterIdentify", "\(series.context.string) \(result.rawValue)", data)
  }
  func afterTrack(_ series: TrackSeries) -> Status {
    note("track", "\(series.key.string) \(series.data?.string ?? "-") \(series.metric.map { "\($0)" } ?? "-")", nil)
  }
}

@Suite("Hooks run around evaluations and identifies, and after events (LD-81, 4.5; before start)")
struct HookTests {
  private let seen = Locked<[String]>([])
  private let lines = RecordingLogSink()
  private let hosts = Locked<[TestClient]>([])

  private func runner(_ hooks: [any LaunchDarklyHook]) -> HookRunner {
    let lines = lines
    return HookRunner(hooks, log: Log(threshold: .debug, clock: ManualScheduler()) { lines.write($0, $1) })
  }

  /// A client over no network, with hooks of its configuration.
  private func client(_ hooks: [any LaunchDarklyHook], plugins: [any LaunchDarklyClientPlugin] = []) throws -> Client {
    var all = Plugins()
    all.vendor[LaunchDarklyPlugins.hooks] = hooks
    all.vendor[LaunchDarklyPlugins.plugins] = plugins
    let host = try TestClient(
      LaunchDarklyFactory(), ["mobile_key": "mob-123456", "store": "none", "online": "false"], plugins: all, log: lines)
    hosts.change { $0.append(host) }
    return host.client
  }

  private func evaluate(
    _ client: Client, _ key: String, _ want: WantedType = .bool, _ mode: EvaluationMode = .counted,
    _ fallback: EvaluationFallback = EvaluationFallback(true)
  ) {
    key.withBytes { key in client.evaluate(key, nil, want, mode, fallback) { _, _ in } }
  }

  @Test("Before in order, after in reverse, each with the data of its own before stage")
  func order() throws {
    let client = try client([NotingHook("1", seen), NotingHook("2", seen)])
    defer { client.dispose() }
    evaluate(client, "f")
    let told = seen.value.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(told == ["1 before f", "2 before f", "2 after f", "1 after f"])
    #expect(seen.value.map { $0.split(separator: " data ").dropFirst().joined() } == ["", "", "22", "11"])
  }

  @Test("The series names the call and what it falls back to")
  func series() throws {
    let client = try client([NotingHook("1", seen)])
    defer { client.dispose() }
    evaluate(client, "f", .bool, .counted)
    evaluate(client, "f", .int, [.counted, .detailed], EvaluationFallback(Int64(-3)))
    evaluate(client, "f", .double, .counted, EvaluationFallback(1.5))
    "a\"b".withBytes { evaluate(client, "f", .string, .counted, EvaluationFallback(.string, $0)) }
    "[1, 2]".withBytes { evaluate(client, "f", .json, [.counted, .detailed], EvaluationFallback(.json, $0)) }
    "[".withBytes { evaluate(client, "f", .json, .counted, EvaluationFallback(.json, $0)) }
    evaluate(client, "f", .any, [.counted, .detailed], EvaluationFallback())
    let told = seen.value.filter { $0.hasPrefix("1 before") }.map { $0.split(separator: " ")[3...4].joined(separator: " ") }
    #expect(
      told == [
        "boolVariation true", "intVariationDetail -3", "doubleVariation 1.5", #"stringVariation "a\"b""#,
        "jsonVariationDetail [1,2]", "jsonVariation null", "variationDetail null",
      ])
  }

  @Test("A hook sees what the caller gets, which without a value is the fallback")
  func returned() throws {
    let client = try client([NotingHook("1", seen)])
    defer { client.dispose() }
    evaluate(client, "f", .int, [.counted, .detailed], EvaluationFallback(Int64(-3)))
    "x".withBytes { evaluate(client, "f", .string, .counted, EvaluationFallback(.string, $0)) }
    evaluate(client, "f", .any, .counted, EvaluationFallback())
    let values = seen.value.filter { $0.hasPrefix("1 after") }.map { $0.split(separator: " ").dropLast(2).last }
    #expect(values == ["-3", #""x""#, "null"])
  }

  @Test("Neither explaining nor listing all flags runs them")
  func uncounted() throws {
    let client = try client([NotingHook("1", seen)])
    defer { client.dispose() }
    evaluate(client, "f", .any, [.explained, .detailed])
    _ = client.allFlags(nil)
    #expect(seen.value.isEmpty)
  }

  @Test("A hook that fails is told of once a stage, has no data, and disturbs neither value nor other hooks")
  func failing() throws {
    let client = try client([NotingHook("1", seen, failing: ["before", "after"]), NotingHook("2", seen)])
    defer { client.dispose() }
    for _ in 0..<3 { evaluate(client, "f") }
    #expect(seen.value.count == 12)
    #expect(seen.value.filter { $0.hasPrefix("1 after") }.allSatisfy { !$0.contains(" data ") })
    #expect(seen.value.filter { $0.hasPrefix("2 after") }.allSatisfy { $0.contains(" data 22") })
    let runner = runner([NotingHook("h", seen, failing: ["track"])])
    for _ in 0..<3 { "e".withBytes { runner.tracked($0, data: nil, metric: nil) } }
    #expect(lines.lines.filter { $0.message.contains("afterTrack failed") }.count == 1)
  }

  @Test("The context and the environment's id are told once they are known (LD-81; no client)")
  func facts() {
    let runner = runner([NotingHook("1", seen)])
    runner.contextChanged(Array(#"{"key":"u"}"#.utf8))
    runner.environmentTold("env-1")
    "f".withBytes { key in
      let call = HookCall(key: key, context: nil, want: .bool, fallback: EvaluationFallback(false), isDetailed: false)
      for hook in runner.evaluationHooks { #expect(hook.before(call)) }
    }
    #expect(seen.value == [#"1 before f boolVariation false {"key":"u"} env-1"#])
  }

  @Test("Identify stages: before in order on the caller's thread, after in reverse, once (LD-81; no client)")
  func identify() {
    let runner = runner([NotingHook("1", seen), NotingHook("2", seen, failing: ["beforeIdentify"])])
    let stages = runner.beginIdentify(Array("{}".utf8), timeoutMilliseconds: 500)
    stages?.end(.ok)
    stages?.end(.timeout)
    #expect(
      seen.value == [
        "1 beforeIdentify {} 500", "2 beforeIdentify {} 500", "2 afterIdentify {} 0", "1 afterIdentify {} 0 data 11",
      ])
    #expect(self.runner([]).beginIdentify(Array("{}".utf8), timeoutMilliseconds: -1) == nil)
  }

  @Test("afterTrack runs in the order of registration (LD-81; no client)")
  func track() {
    let runner = runner([NotingHook("1", seen), NotingHook("2", seen)])
    "e".withBytes { key in "[1]".withBytes { runner.tracked(key, data: $0, metric: 2) } }
    #expect(seen.value == ["1 track e [1] 2.0", "2 track e [1] 2.0"])
  }

  private final class Bringing: LaunchDarklyClientPlugin, @unchecked Sendable {
    let name: String
    let hook: any LaunchDarklyHook
    let told: Locked<[String]>
    let status: Status
    init(_ name: String, _ hook: any LaunchDarklyHook, _ told: Locked<[String]>, status: Status = .ok) {
      (self.name, self.hook, self.told, self.status) = (name, hook, told, status)
    }
    func hooks(for environment: EnvironmentMetadata, room: Int) -> (hooks: [any LaunchDarklyHook], status: Status) {
      told.change { $0.append("\(name) \(environment.environment) \(environment.sdkName) \(room)") }
      return ([hook], status)
    }
  }

  @Test("Hooks of plug-ins come after those of the configuration; a plug-in that fails is told of (LD-88; before start)")
  func plugins() throws {
    let told = Locked<[String]>([])
    let client = try client(
      [NotingHook("1", seen)],
      plugins: [
        Bringing("p", NotingHook("2", seen), told), Bringing("q", NotingHook("3", seen), told, status: .plugin),
      ])
    defer { client.dispose() }
    #expect(told.value == ["p default hoist 63", "q default hoist 62"])
    evaluate(client, "f")
    #expect(
      seen.value.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "1 before", "2 before", "3 before", "3 after", "2 after", "1 after",
      ])
  }

  @Test("Hooks beyond the limit are not run (LD-81, G5; no client)")
  func limit() {
    let many = (0...LaunchDarklyPlugins.maximumHooks).map { _ in NotingHook("1", seen) }
    let runner = runner(many)
    "e".withBytes { runner.tracked($0, data: nil, metric: nil) }
    #expect(seen.value.count == LaunchDarklyPlugins.maximumHooks)
  }
}
