import HoistBase
import Testing

@Suite("A cache forgets what is old or long unused") struct ExpiringCacheTests {
  @Test func theLeastRecentlyUsedGoesFirst() {
    var cache = ExpiringCache<String, Int>(capacity: 2, lifetime: 0)
    cache.save("a", 1, at: 0)
    cache.save("b", 2, at: 0)
    #expect(cache.lookUp("a", at: 100) == 1)
    cache.save("c", 3, at: 0)
    #expect(cache.peek("b") == nil)
    #expect(cache.peek("a") == 1)
    #expect(cache.count == 2)
  }

  @Test func looksMakeNothingYounger() {
    var cache = ExpiringCache<String, Int>(capacity: 2, lifetime: 10)
    cache.save("a", 1, at: 0)
    #expect(cache.lookUp("a", at: 9) == 1)
    #expect(cache.peek("a") == 1)
    #expect(cache.lookUp("a", at: 10) == nil)
    #expect(cache.peek("a") == nil)
    cache.save("a", 2, at: 10)
    #expect(cache.lookUp("a", at: 19) == 2)
    cache.remove("a")
    #expect(cache.count == 0)
  }

  @Test func aCapacityOfNothingKeepsNothing() {
    var cache = ExpiringCache<String, Int>(capacity: 0, lifetime: 10)
    cache.save("a", 1, at: 0)
    #expect(cache.count == 0)
  }
}
