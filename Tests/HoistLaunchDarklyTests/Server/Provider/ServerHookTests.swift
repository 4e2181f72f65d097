import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Hooks in mode server (protocols/launchdarkly-server.md 8)", .serialized) struct ServerHookTests {
  private let seen = Locked<[String]>([])

  private func rig(_ properties: [String: String] = [:]) throws -> RulesRig {
    var plugins = Plugins()
    plugins.vendor[LaunchDarklyPlugins.hooks] = [NotingHook("1", seen), NotingHook("2", seen)]
    let rig = try RulesRig(properties, plugins: plugins)
    rig.serve(["a": ServerRules.flag("a")])
    return rig
  }

  private func told() -> [String] {
    defer { seen.value = [] }
    return seen.value
  }

  @Test("Around an evaluation they hear of the context of the call, else of the client's (LDS-60; ready)") func contexts() throws
  {
    let rig = try rig(["context": #"{"kind":"org","key":"o"}"#])
    rig.value(of: "a", .counted)
    #expect(
      told().map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
        "1 before a", "2 before a", "2 after a", "1 after a",
      ])
    for (context, json) in [
      (EvaluationContext(targetingKey: "x"), #"{"key":"x","kind":"user"}"#), (nil, #"{"key":"o","kind":"org"}"#),
      (EvaluationContext(), "-"),
      (EvaluationContext(targetingKey: ""), "-"),
    ] as [(EvaluationContext?, String)] {
      rig.value(of: "a", for: context, .counted)
      #expect(told().first == "1 before a jsonVariation null \(json) -")
    }
    #expect(rig.client.identify(EvaluationContext(targetingKey: "y").reference(), completion: nil) == .ok)
    rig.time.run()
    while rig.client.dispatch(limit: 0) > 0 {}
    _ = told()
    rig.value(of: "a", for: nil, .counted)
    #expect(told().first == #"1 before a jsonVariation null {"key":"y","kind":"user"} -"#)
  }

  @Test("The environment's id comes with answers of either kind (LDS-60; ready)", arguments: ["streaming", "polling"])
  func environment(mode: String) throws {
    var plugins = Plugins()
    plugins.vendor[LaunchDarklyPlugins.hooks] = [NotingHook("1", seen)]
    let rig = try RulesRig(["streaming_mode": mode], plugins: plugins)
    rig.value(of: "a", .counted)
    #expect(told().first?.hasSuffix(" -") == true)
    let header = HTTPHeader("X-LD-EnvID", "env-7")
    if mode == "streaming" {
      rig.network.streams.last?.open(headers: [header])
    } else {
      rig.network.exchanges.last?.complete(answer(200, ServerRules.set(flags: ["a": ServerRules.flag("a")]), [header]))
    }
    rig.time.run()
    rig.value(of: "a", .counted)
    #expect(told().first?.hasSuffix(" env-7") == true)
  }

  @Test("A migration's call has a name of its own (LDS-60; ready)") func migration() throws {
    let rig = try rig()
    let context = EvaluationContext(targetingKey: "k")
    "a".withBytes { key in
      rig.client.evaluate(key, context.subject, .string, .counted, options: VariationOptions.migration) { _, _ in }
    }
    withExtendedLifetime(context) {}
    #expect(told().first?.hasPrefix("1 before a migrationVariation") == true)
  }

  @Test("Around identifies, and after events of a context that is one, in order (LDS-60, LDS-44; ready)") func others() throws {
    let rig = try rig(["send_events": "true"])
    #expect(rig.client.identify(EvaluationContext(targetingKey: "k").reference(), completion: nil) == .ok)
    rig.time.run()
    while rig.client.dispatch(limit: 0) > 0 {}
    let json = #"{"key":"k","kind":"user"}"#
    #expect(
      told() == [
        "1 beforeIdentify \(json) -1", "2 beforeIdentify \(json) -1", "2 afterIdentify \(json) 0 data 22",
        "1 afterIdentify \(json) 0 data 11",
      ])
    #expect(rig.client.identify(EvaluationContext().reference(), completion: nil) == .ok)
    rig.time.run()
    #expect(told().isEmpty)
    "e".withBytes { key in
      #expect(rig.provider.track(key, data: nil, metric: 2, of: EvaluationContext(targetingKey: "x").reference()) == .ok)
      #expect(rig.provider.track(key, data: nil, metric: nil, of: EvaluationContext().reference()) == .argument)
    }
    #expect(told() == ["1 track e - 2.0", "2 track e - 2.0"])
  }

  @Test("Neither all flags nor an explanation runs them (LDS-60; ready)") func none() throws {
    let rig = try rig()
    rig.value(of: "a", .explained)
    let context = EvaluationContext(targetingKey: "k")
    _ = rig.client.allFlags(context.subject)
    withExtendedLifetime(context) {}
    #expect(told().isEmpty)
  }

  @Test("Plug-ins bring hooks, and get to know the environment (LDS-60, LDS-01; before start)") func plugins() throws {
    var plugins = Plugins()
    plugins.vendor[LaunchDarklyPlugins.plugins] = [BringingPlugin(NotingHook("3", seen), seen)]
    let rig = try RulesRig(["wrapper_name": "w"], plugins: plugins)
    #expect(told() == ["default hoist w 64"] && LaunchDarklyAnyFace(rig.client)?.metadata.wrapperName == "w")
    rig.value(of: "a", .counted)
    #expect(told().first?.hasPrefix("3 before a") == true)
    #expect(!rig.log.lines.contains { $0.message.contains("not called") })
  }
}

private final class BringingPlugin: LaunchDarklyClientPlugin {
  let name = "p"
  private let hook: any LaunchDarklyHook
  private let told: Locked<[String]>
  init(_ hook: any LaunchDarklyHook, _ told: Locked<[String]>) { (self.hook, self.told) = (hook, told) }

  func hooks(for environment: EnvironmentMetadata, room: Int) -> (hooks: [any LaunchDarklyHook], status: Status) {
    told.change { $0.append("\(environment.environment) \(environment.sdkName) \(environment.wrapperName) \(room)") }
    return ([hook], .ok)
  }
}
