import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Rules of which much is stale are laid out anew in small turns (protocols/launchdarkly-server.md 3.4)")
struct RulesRelayTests {
  fileprivate static let flagCount = 200

  fileprivate static func flag(_ number: Int, version: Int = 1, isOn: Bool = true) -> String {
    let padding = String(repeating: "abcdefgh", count: 64)
    return ServerRules.flag("k\(number)", version: version, #""on":\#(isOn),"description":"\#(padding)""#)
  }

  /// A stream of changes that come one by one, between the turns of all others.
  private final class Burst: @unchecked Sendable {
    let rig: RulesRig
    let stream: ScriptedExchange
    var isOn = [Int: Bool]()
    var version = 1
    /// Told after each change.
    var changed: (_ left: Int) -> Void = { _ in }
    private let random = SeededEntropy(seed: 11)

    init() throws {
      rig = try RulesRig()
      let flags = (0..<RulesRelayTests.flagCount).map { ("k\($0)", RulesRelayTests.flag($0)) }
      stream = try #require(rig.serve(Dictionary(uniqueKeysWithValues: flags)))
      for number in 0..<RulesRelayTests.flagCount { isOn[number] = true }
    }

    var isRelaid: Bool { rig.rules.relay == nil }

    func send(_ count: Int) {
      if count > 0 { rig.time.post { [self] in sendOne(count) } }
      rig.time.run()
    }

    private func sendOne(_ left: Int) {
      version += 1
      // Some are new, or were deleted before.
      let number = Int(random.next() % UInt64(RulesRelayTests.flagCount + 40))
      if random.next() % 8 == 0 {
        isOn[number] = nil
        stream.receive("event: delete\ndata: {\"path\":\"/flags/k\(number)\",\"version\":\(version)}\n\n")
      } else {
        isOn[number] = random.next() % 2 == 0
        let data = RulesRelayTests.flag(number, version: version, isOn: isOn[number] ?? false)
        stream.receive(RulesRig.patch("/flags/k\(number)", data))
      }
      changed(left - 1)
      if left > 1 { rig.time.post { [self] in sendOne(left - 1) } }
    }

    func check() {
      for number in 0..<(RulesRelayTests.flagCount + 40) {
        let wanted = isOn[number].map { $0 ? #""on""# : #""off""# } ?? "FLAG_NOT_FOUND"
        #expect(rig.value(of: "k\(number)") == wanted, "k\(number)")
      }
    }
  }

  @Test("What changes meanwhile is served at once, and is not lost (LDS-17; ready)") func changesMeanwhile() throws {
    let burst = try Burst()
    var (turns, relays) = (0, 0)
    burst.changed = { _ in
      let isUnderWay = !burst.isRelaid
      if isUnderWay, turns == 0 { relays += 1 }
      turns = isUnderWay ? turns + 1 : 0
    }
    for _ in 0..<10 {
      burst.send(200)
      burst.check()
    }
    #expect(relays >= 2, "2,000 changes of 200 flags leave much behind")
    #expect(burst.isRelaid)
    let isWasteful = (burst.rig.client as any ProviderHost).withSnapshot { $0?.isWasteful }
    #expect(isWasteful == false)
  }

  @Test("No turn lays out more than a few (LDS-17; ready)") func turnsAreSmall() throws {
    let burst = try Burst()
    var turns = 0
    burst.changed = { _ in if !burst.isRelaid { turns += 1 } }
    while turns == 0 { burst.send(20) }
    #expect(turns >= Self.flagCount / RulesRelay.itemsOfTurn)
    burst.check()
  }

  @Test("A whole set, a close and a fork end it (LDS-17; ready, closed, reopened, forked)", arguments: 0..<3)
  func ends(how: Int) throws {
    let burst = try Burst()
    let hasEnded = Locked(false)
    burst.changed = { _ in
      guard !burst.isRelaid, !hasEnded.value else { return }
      hasEnded.value = true
      switch how {
      case 0: burst.stream.receive(RulesRig.put(["k1": Self.flag(1, version: 1_000_000)]))
      case 1: _ = burst.rig.client.close(timeoutMilliseconds: 0)
      default: burst.rig.rules.abandonAfterFork()
      }
    }
    for _ in 0..<200 where !hasEnded.value { burst.send(10) }
    #expect(hasEnded.value && burst.isRelaid)
    if how == 0 { #expect(burst.rig.value(of: "k1") == #""on""#) }
    if how != 1 { return }
    #expect(burst.rig.value(of: "k1") == "PROVIDER_NOT_READY")
    _ = burst.rig.client.reopen()
    burst.rig.serve(["k1": Self.flag(1)])
    #expect(burst.rig.value(of: "k1") == #""on""# && burst.rig.value(of: "k2") == "FLAG_NOT_FOUND")
  }
}
