import HoistBase
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("A byte map keeps what a dictionary keeps") struct ByteMapTests {
  @Test(arguments: [UInt64.max, 7, 0])
  func whateverIsSetReplacedAndRemoved(hashBits: UInt64) {
    var map = ByteMap<Int>()
    var model: [String: Int] = [:]
    var state: UInt64 = 1
    for step in 0..<4_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = "key-\((state >> 33) % 97)"
      // Few bits make many keys share a slot, or a hash.
      let hash = key.withBytes { Hash64.hash($0) } & hashBits
      let value = (state >> 60) < 6 ? nil : step
      key.withBytes { map.set($0, hash: hash, value) }
      model[key] = value
      #expect(map.count == model.count)
      #expect(key.withBytes { map.find($0, hash: hash) } == value)
    }
    for (key, value) in model {
      #expect(key.withBytes { map.find($0, hash: Hash64.hash($0) & hashBits) } == value)
    }
    #expect(Dictionary(uniqueKeysWithValues: map.all.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }) == model)
    #expect("none".withBytes { map.find($0, hash: Hash64.hash($0) & hashBits) } == nil)
  }
}
