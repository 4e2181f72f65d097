import CShims
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Synchronization
import Testing

@Suite("A client is found by those who may outlive it") struct ClientReferenceTests {
  /// What a service has for visitors.
  private final class Services: Sendable {
    let name = "services"
  }

  private func tie(_ client: Client, _ services: Services) -> UnownedClient<Services> { UnownedClient(client, services) }

  @Test func itIsFoundUntilTheHostLetsGo() throws {
    let services = Services()
    let fixture = try ClientFixture()
    let tie = tie(fixture.client, services)
    #expect(tie.client === fixture.client)
    #expect(tie.read { client, services in client === fixture.client && services.name == "services" } == true)
    #expect(tie.withClient { client, _ in client.isClosed } == false)
    fixture.client.dispose()
    #expect(tie.client == nil)
    #expect(tie.read { _, _ in true } == nil && tie.withClient { _, _ in true } == nil)
  }

  @Test func whoReadsItKeepsItUntilTheSectionEnds() throws {
    weak var client: Client?
    let services = Services()
    let scheduler: ManualScheduler
    let reading: UnsafeMutablePointer<shim_slot>
    do {
      let fixture = try ClientFixture()
      scheduler = fixture.scheduler
      client = fixture.client
      reading = shim_enter()
      #expect(tie(fixture.client, services).link.current != nil)
    }
    scheduler.advance(milliseconds: 10)
    #expect(client?.state == .closed)
    shim_leave(reading)
    #expect(goes(scheduler) { client == nil })
  }

  @Test func aCopyInAForkedChildBeginsAnew() throws {
    let services = Services()
    let fixture = try ClientFixture()
    let tie = tie(fixture.client, services)
    shim_or_u32(&fixture.client.hot.pointee.gate, UInt32(SHIM_GATE_FORKED))
    fixture.client.generation.store(.max, ordering: .relaxed)
    #expect(tie.read { client, _ in shim_load_u32(&client.hot.pointee.gate) & SHIM_GATE_FORKED } == 0)
    fixture.scheduler.run()
    #expect(fixture.provider.calls == ["abandon", "start"])
  }

  @Test func threadsThatReadDoNotMindItsEnd() throws {
    for _ in 0..<20 {
      let services = Services()
      let fixture = try ClientFixture()
      let tie = tie(fixture.client, services)
      let isOver = Atomic(false)
      let readers = (0..<3).map { index in
        startThread {
          while !isOver.load(ordering: .relaxed) {
            let name = index == 0 ? tie.withClient { client, _ in client.name } : tie.read { client, _ in client.name }
            if let name { #expect(!name.isEmpty) }
          }
        }
      }
      fixture.client.dispose()
      fixture.scheduler.run()
      isOver.store(true, ordering: .relaxed)
      for reader in readers { reader.join() }
      #expect(tie.client == nil)
    }
  }
}

/// Whether something goes with its client, which waits for the reading sections of other tests, too.
func goes(_ scheduler: ManualScheduler, _ isGone: () -> Bool) -> Bool {
  eventually {
    scheduler.advance(milliseconds: 1)
    return isGone()
  }
}
