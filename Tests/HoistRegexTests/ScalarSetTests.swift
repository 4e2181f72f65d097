import Testing

@testable import HoistRegex

@Suite struct ScalarSetTests {
  @Test func rangesAreMergedWhereTheyTouch() {
    #expect(ScalarSet([5...6, 1...2, 3...3, 10...20, 15...16, 21...21]).ranges == [1...3, 5...6, 10...21])
    #expect(ScalarSet([0...0x10FFFF, 7...9]) == .all)
  }

  @Test func algebraAgreesWithMembershipPointByPoint() {
    var random = Lehmer(state: 7)
    func randomSet() -> ScalarSet {
      ScalarSet(
        (0..<Int.random(in: 0...6, using: &random)).map { _ in
          let low = UInt32.random(in: 0...40, using: &random)
          return low...(low + UInt32.random(in: 0...6, using: &random))
        })
    }
    for _ in 0..<500 {
      let left = randomSet()
      let right = randomSet()
      for point in UInt32(0)...50 {
        let (inLeft, inRight) = (left.contains(point), right.contains(point))
        #expect(left.union(right).contains(point) == (inLeft || inRight))
        #expect(left.intersection(right).contains(point) == (inLeft && inRight))
        #expect(left.subtracting(right).contains(point) == (inLeft && !inRight))
        #expect(left.complement.contains(point) == !inLeft)
      }
    }
  }

  @Test func complementsReachTheEnds() {
    #expect(ScalarSet().complement == .all)
    #expect(ScalarSet.all.complement.isEmpty)
    #expect(ScalarSet([0...4, 0x10FFFF...0x10FFFF]).complement.ranges == [5...0x10FFFE])
  }

  @Test func foldingClosesOrbits() {
    func closure(_ scalar: Unicode.Scalar) -> [UInt32] {
      CaseFolding.closure(of: ScalarSet([scalar.value...scalar.value])).ranges.flatMap(Array.init)
    }
    #expect(closure("k") == [0x4B, 0x6B, 0x212A])
    #expect(closure("ς") == [0x3A3, 0x3C2, 0x3C3])
    #expect(closure("ß") == [0xDF, 0x1E9E])
    #expect(closure("İ") == [0x130])
    #expect(closure("\u{10D50}") == [0x10D50, 0x10D70])
    #expect(closure("1") == [0x31])
    let letters = CaseFolding.closure(of: ScalarSet([0x61...0x7A]))
    #expect(letters.ranges == [0x41...0x5A, 0x61...0x7A, 0x17F...0x17F, 0x212A...0x212A])
    #expect(CaseFolding.closure(of: .all) == .all)
  }
}
