import HoistBase
import HoistCore
import HoistTestSupport
import HoistUnleashTestSupport
import Testing

@testable import HoistUnleash

/// A storage of the host's own and when a client is ready: protocols/unleash.md D.1, D.3.6.
struct HostStorageTests {
  private func rig(_ storage: SlowStorage, _ more: [String: String] = [:]) throws -> ClientRig {
    var plugins = Plugins()
    plugins.vendor[UnleashPlugins.storage] = storage
    return try #require(ClientRig(frontend.merging(more) { $1 }, plugins: plugins))
  }

  @Test("The storage has the flags before anybody is told of them (UNL-60, D.1; starting, slow plug-in)")
  func theStorageComesFirst() throws {
    let storage = SlowStorage()
    let rig = try rig(storage)
    let changes = rig.news(of: .configurationChanged)
    let done = Outcome()
    rig.transport.enqueue(toggles("a"))
    _ = rig.face.start(bootstrap: nil) { done.set($0) }
    rig.settle { storage.isAsked }
    #expect(rig.takeEvents().isEmpty && changes.all.isEmpty && done.value == nil && !rig.face.isReady)
    storage.open()
    rig.settle { done.value != nil }
    #expect(done.value == .ok && rig.face.isReady && rig.isOn("a") && rig.takeEvents() == ["ready"])
  }

  @Test("A storage that does not return is not waited for beyond the limit (UNL-60, D.7; starting, slow plug-in)")
  func aStorageThatHangs() throws {
    let storage = SlowStorage()
    let rig = try rig(storage)
    let done = Outcome()
    rig.transport.enqueue(toggles("a"))
    _ = rig.face.start(bootstrap: nil) { done.set($0) }
    rig.settle { storage.isAsked }
    #expect(done.value == nil)
    rig.scheduler.advance(milliseconds: 5000)
    #expect(done.value == .ok && rig.face.isReady)
    storage.open()
  }

  @Test("Flags that were being stored when the context changed are not the new one's (UNL-60, D.5; starting, slow plug-in)")
  func aContextChangesMeanwhile() throws {
    let storage = SlowStorage()
    let rig = try rig(storage)
    let (started, changed) = (Outcome(), Outcome())
    rig.transport.enqueue(toggles("a"))
    _ = rig.face.start(bootstrap: nil) { started.set($0) }
    rig.settle { storage.isAsked }
    _ = rig.face.updateContext(["userId": "u"], properties: [:]) { changed.set($0) }
    rig.scheduler.run()
    #expect(started.value == .superseded)
    storage.open()
    rig.scheduler.advance(milliseconds: 5000)
    #expect(!rig.face.isReady && changed.value == nil)
    rig.transport.open.first?.complete(toggles("b"))
    rig.settle { changed.value != nil }
    #expect(changed.value == .ok && rig.face.isReady && rig.isOn("b") && !rig.isOn("a"))
  }
}

/// Takes no toggles before it is opened.
private final class SlowStorage: UnleashStorage, @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private var isOpen = false
  private var asked = false
  private var kept: [String: UnleashToggle] = [:]

  var isAsked: Bool { lock.withLock { asked } }
  func open() {
    lock.withLock { isOpen = true }
    changed.broadcast()
  }

  func set(_ toggles: [UnleashToggle]) {
    lock.withLock {
      asked = true
      while !isOpen { _ = changed.wait(lock, untilNanoseconds: .max) }
      kept = Dictionary(toggles.map { ($0.name, $0) }) { first, _ in first }
    }
  }
  func value(_ name: String) -> UnleashToggle? { lock.withLock { kept[name] } }
  func clear() { lock.withLock { kept = [:] } }
}
