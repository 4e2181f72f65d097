import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@Suite("What a host registers in a service's own words") struct RegistrationsTests {
  @Test func tokensAreTheOnlyOnesOfTheProcess() {
    let (some, others) = (Registrations<Int>(capacity: 10), Registrations<Int>(capacity: 10))
    let tokens = (0..<10).map { some.add($0) } + (0..<10).map { others.add($0) }
    #expect(Set(tokens + [0]).count == 21)
    #expect(some.add(10) == 0, "there is no room")
    #expect(!others.remove(tokens[0]) && !some.remove(0) && !some.remove(.max))
    #expect(some.remove(tokens[3]) && !some.remove(tokens[3]))
    #expect(some.elements == [0, 1, 2, 4, 5, 6, 7, 8, 9])
    #expect(some.takeAll { $0 > 4 } == [5, 6, 7, 8, 9] && some.elements == [0, 1, 2, 4])
  }

  @Test func whoHasEndedIsNotCalled() {
    let registrations = Registrations<String>(capacity: 10)
    let heard = Locked<[String]>([])
    var waiting: [@Sendable () -> Void] = []
    let tokens = ["a", "b", "c"].map { registrations.add($0) }
    registrations.tell(through: { waiting.append($0) }) { name in
      name == "b" ? nil : { @Sendable in heard.change { $0.append(name) } }
    }
    #expect(registrations.remove(tokens[2]))
    for call in waiting { call() }
    #expect(waiting.count == 2 && heard.value == ["a"])
  }
}
