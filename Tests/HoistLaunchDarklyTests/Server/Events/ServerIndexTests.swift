import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistLaunchDarkly

@Suite("Events of a server tell of each context once in a while (protocols/launchdarkly-server.md 7.2)")
struct ServerIndexTests {
  @Test("Each fully-qualified key makes one index event, before the event that caused it (LDS-40; ready)")
  func once() {
    let rig = ServerEventRig()
    for _ in 0..<3 {
      rig.evaluate("f") { $0.isTracked = true }
      rig.track("e", for: #"{"kind":"org","key":"u"}"#)
      rig.unknown("no", for: #"{"kind":"multi","user":{"key":"u"},"org":{"key":"u"}}"#)
    }
    rig.flush()
    #expect(
      rig.payloads == [["index", "feature", "index", "e", "index", "feature", "e", "feature", "e", "summary"]])
    #expect(rig.events.seen.reused == 6)
  }

  @Test("Of a context that differs in attributes only there is none (LDS-40; ready)")
  func sameKey() {
    let rig = ServerEventRig()
    rig.evaluate("f")
    rig.evaluate("f", for: #"{"kind":"user","key":"u","name":"other"}"#)
    rig.evaluate("f", for: #"{"kind":"user","key":"org:u"}"#)
    rig.evaluate("f", for: #"{"kind":"org","key":"u"}"#)
    rig.flush()
    #expect(rig.payloads == [["index", "index", "summary"]])
  }

  @Test("An identify and a migration's operation enter the key, and make no index event (LDS-40, LDS-44; ready)")
  func entered() {
    let rig = ServerEventRig()
    rig.identify()
    rig.evaluate("f")
    rig.flush()
    #expect(rig.payloads == [["identify", "summary"]])
  }

  @Test("The least recently seen is forgotten for a new one; to be seen again counts (LDS-40; ready)")
  func leastRecent() {
    var seen = SeenContexts.Options()
    seen.capacity = 2
    let rig = ServerEventRig(seen: seen)
    for key in ["a", "b", "a", "c", "a", "a", "b", "a"] { rig.evaluate("f", for: rig.user(key)) }
    rig.flush()
    // b went for c, and c for b.
    #expect(rig.payloads == [["index", "index", "index", "index", "summary"]])
    #expect(rig.events.seen.reused == 4)
  }

  @Test("Contexts as many as there is room for are found by all threads, whatever their fingerprints (LDS-40; ready)")
  func allAreFound() {
    let sights = ContextSights(capacity: 1_000)
    let fingerprints = (1...1_000).map { Hash64.combine($0, 7) }
    for print in fingerprints { _ = sights.remember(ContextSight(key: print, kinds: 1), of: print) }
    #expect(fingerprints.count { sights.kinds(of: $0) == 1 } >= 990)
  }

  @Test("All are forgotten every five minutes (LDS-40; ready)")
  func forgotten() {
    let rig = ServerEventRig()
    rig.host.network.setResponder { _ in HoistTestSupport.answer(202) }
    rig.evaluate("f")
    rig.time.advance(milliseconds: 299_999)
    rig.evaluate("f")
    rig.time.advance(milliseconds: 1)
    rig.evaluate("f")
    rig.time.advance(milliseconds: 300_000)
    rig.evaluate("f")
    rig.flush()
    #expect(rig.payloads == [["index", "summary"], ["summary"], ["index", "summary"], ["index", "summary"]])
  }

  @Test("The key is entered even if its event finds no room (LDS-40, LDS-49; full queue)")
  func fullQueue() {
    let rig = ServerEventRig { $0.capacity = 1 }
    rig.track("a", for: rig.user("1"))
    rig.evaluate("f", for: rig.user("2"))
    rig.flush()
    rig.evaluate("f", for: rig.user("2"))
    rig.flush()
    #expect(rig.payloads == [["index", "summary"], ["summary"]])
    #expect(rig.outlet.capacity.dropped == 2)
  }

  @Test("A forked child has seen no context (LDS-40; forked)")
  func forked() {
    let rig = ServerEventRig()
    rig.evaluate("f", hasCell: false)
    rig.events.forgetAfterFork()
    rig.events.abandonAfterFork()
    rig.events.start()
    rig.evaluate("f", hasCell: false)
    rig.flush()
    #expect(rig.payloads == [["index", "index", "summary"]])
    #expect(rig.texts.last?.contains(#""count":1"#) == true)
  }

  @Test("Anonymous parts are omitted on request, whole contexts too (LDS-47; ready)")
  func anonymous() {
    var seen = SeenContexts.Options()
    seen.omitsAnonymous = true
    let rig = ServerEventRig(seen: seen)
    let both = #"{"kind":"multi","user":{"key":"u","anonymous":true},"org":{"key":"o"}}"#
    rig.evaluate("f", for: ServerEventRig.anonymous)
    #expect(rig.identify(ServerEventRig.anonymous) == .ok)
    rig.evaluate("f", for: both) { $0.isTracked = true }
    rig.evaluate("f", for: #"{"kind":"org","key":"o"}"#)
    rig.identify(both)
    rig.flush()
    #expect(rig.payloads == [["index", "feature", "identify", "summary"]])
    let rest = #""context":{"key":"o","kind":"org"}"#
    #expect(rig.texts.last?.components(of: rest) == 2)
    // Of the first there is nothing left to be seen again.
    #expect(rig.events.seen.reused == 2)
  }

  @Test("A context that is found without a lock counts as seen, and goes after those that are not (LDS-40; no client)")
  func uses() {
    let (seen, rig) = (SeenContexts(SeenContexts.Options(capacity: 3)), ServerEventRig())
    let (a, b, c) = (rig.context(rig.user("a")), rig.context(rig.user("b")), rig.context(rig.user("c")))
    func isNew(_ contexts: FrozenContext...) -> [Bool] { contexts.map { seen.see($0).isNew } }
    #expect(isNew(a, b, c) == [true, true, true])
    for _ in 0..<20 { #expect(isNew(a) == [false]) }
    for _ in 0..<20 { #expect(isNew(b) == [false]) }
    #expect(isNew(rig.context(rig.user("d"))) == [true])
    #expect(isNew(a, b, c) == [false, false, true])
    #expect(seen.reused == 42)
    seen.forget()
    #expect(isNew(b, a, b) == [true, true, false])
  }

  @Test("What threads remember of a context is worth nothing once one was forgotten (LDS-40; no client)")
  func threads() {
    let (seen, rig) = (SeenContexts(SeenContexts.Options(capacity: 2)), ServerEventRig())
    let (a, b, c) = (rig.context(rig.user("a")), rig.context(rig.user("b")), rig.context(rig.user("c")))
    #expect(seen.see(a).isNew)
    let areNew = Locked<[Bool]>([])
    HostThread { areNew.value = [seen.see(b).isNew, seen.see(c).isNew] }.join()
    #expect(areNew.value == [true, true])
    #expect(seen.see(a).isNew)
  }
}

extension String {
  /// How often a text is in it.
  func components(of text: String) -> Int { ranges(of: text).count }
}
