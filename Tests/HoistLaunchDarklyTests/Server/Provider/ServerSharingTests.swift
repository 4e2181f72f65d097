import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("One process streams the rules for all that share a store (FLT 1)") struct ServerSharingTests {
  private let sharing = ["fetch.shared": "leader"]

  @Test("The connection of each tells how rules come to it (ready, second process, closed)") func connections() throws {
    let manager = MemoryCacheManager()
    let time = ManualScheduler()
    let first = try RulesRig(sharing, manager: manager, time: time)
    #expect(first.host.settle { first.network.streams.count == 1 })
    #expect(first.provider.connection.information.mode == .establishingStreamingConnection)
    first.serve(["a": ServerRules.flag("a")])
    #expect(first.state == .ready && first.provider.connection.information.mode == .streaming)
    time.advance(milliseconds: 1000)
    first.settleStore()
    let second = try RulesRig(sharing, manager: manager, time: time, seed: 8)
    #expect(second.host.settle { second.state == .ready })
    #expect(second.asked == 0 && second.value(of: "a") == #""on""# && second.rules.hasArrived)
    let information = second.provider.connection.information
    #expect(information.mode == .polling && information.lastKnownFlagValidityUnixMilliseconds != nil)
    #expect(second.provider.connection.dataSource.state == .valid)
    #expect(second.log.lines.contains { $0.message.contains("from the store") })
    _ = time.turning { first.client.close(timeoutMilliseconds: 5_000) }
    #expect(
      second.host.settle {
        time.advance(milliseconds: 100)
        return second.network.streams.count == 1
      })
    #expect(second.provider.connection.information.mode == .establishingStreamingConnection)
    #expect(second.provider.connection.dataSource.state == .valid && second.state == .ready)
    second.serve(["a": ServerRules.flag("a", version: 2)])
    #expect(second.provider.connection.information.mode == .streaming)
  }

  @Test(
    "A store of rules shares them already: both are refused, also in daemon mode (before start)", arguments: ["false", "true"])
  func beside(daemon: String) throws {
    let error = #expect(throws: ConfigurationFailure.self) {
      _ = try RulesRig(
        ["fetch.shared": "leader", "daemon_mode": daemon], manager: MemoryCacheManager(), plugins: Plugins(rules: ScriptedRules())
      )
    }
    #expect(error?.message.contains("by the store of rules that is given") == true)
  }

  @Test("Test data are of the process alone (ready)") func testData() throws {
    var plugins = Plugins()
    let data = TestRules()
    plugins.vendor[TestRules.slot] = data
    let rig = try RulesRig(sharing, manager: MemoryCacheManager(), plugins: plugins)
    rig.time.advance(milliseconds: 60_000)
    #expect(rig.asked == 0 && rig.provider.life.statistics.allSatisfy { $0.group != "shared_fetch" })
  }
}
