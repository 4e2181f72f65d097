import Glibc
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Whether the holder of a stored row still lives") struct OwnerIdentityTests {
  let own = OwnerIdentity.make(nonce: 0xABC)

  @Test func theTextSaysEverything() throws {
    #expect(own.text.hasSuffix(".abc"))
    #expect(OwnerIdentity(text: own.text) == own)
    #expect(own.process == getpid() && own.started > 0 && !own.boot.isEmpty && !own.namespace.isEmpty)
  }

  @Test(arguments: [
    "", ".....", "a.b.c.d.e.f", "boot.ns.1.2.3", "boot.ns.1.2.3.4.5", "boot.ns.0.2.3.4", "boot.ns.-1.2.3.4",
    "boot.ns.99999999999.2.3.4", "boot.ns.1.-2.3.4", "boot.ns.1.2.3.xyz",
  ])
  func otherTextIsNoIdentity(_ text: String) { #expect(OwnerIdentity(text: text) == nil) }

  @Test func anIdentityOfThisProcessLivesWhileItIsHeld() {
    #expect(own.liveness == .dead)
    do {
      let held = LeasedOwner(nonce: 0xABC)
      #expect(OwnerIdentity(text: held.id)?.liveness == .alive)
    }
    #expect(own.liveness == .dead)
  }

  /// Else the rows of one that has gone would seem to be in use, and those of one that lives free.
  @Test func noTwoOwnersOfAProcessAreOne() {
    let first = LeasedOwner(nonce: 0xABC).id
    let second = LeasedOwner(nonce: 0xABC)
    #expect(OwnerIdentity(text: first)?.liveness == .dead)
    do {
      let third = LeasedOwner(nonce: 0xABC)
      #expect(Set([first, second.id, third.id]).count == 3)
    }
    #expect(OwnerIdentity(text: second.id)?.liveness == .alive)
  }

  @Test func aChildIsAliveThenAZombieAndThenGone() {
    let child = ForkedChild.start {
      while true { pause() }
    }
    var identity = own
    identity.process = child
    identity.started = ForkedChild.started(child)
    #expect(identity.liveness == .alive)
    kill(child, SIGKILL)
    // Not waited for: the zombie has done its last write.
    var patience = 10_000
    while identity.liveness != .dead, patience > 0 {
      patience -= 1
      usleep(1_000)
    }
    #expect(identity.liveness == .dead)
    #expect(ForkedChild.wait(child) == .killed(signal: SIGKILL))
    #expect(identity.liveness == .dead)
  }

  @Test func aProcessThatGotTheSameNumberLaterIsAnotherOne() {
    var identity = own
    identity.process = getppid()
    identity.started = 1
    #expect(identity.liveness == .dead)
  }

  @Test func nothingIsKnownOfOtherMachinesBootsAndContainers() {
    var identity = own
    identity.boot = "another"
    #expect(identity.liveness == .unknown)
    identity = own
    identity.namespace = "pid1"
    #expect(identity.liveness == .unknown)
    identity = own
    identity.started = 0
    #expect(identity.liveness == .unknown)
  }
}
