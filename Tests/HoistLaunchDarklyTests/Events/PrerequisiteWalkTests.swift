import HoistBase
import Testing

@testable import HoistLaunchDarkly

@Suite("Prerequisites come before the flag that wants them, each as often as it is reached (LD-82, 4.2.5; no client)")
struct PrerequisiteWalkTests {
  /// Flags by name with the names of their prerequisites; texts that stay.
  private final class Flags {
    private var facts: [(ByteView, [String])] = []
    private var rooms: [UnsafeMutableRawBufferPointer] = []

    init(_ flags: [String: [String]]) {
      for (key, wanted) in flags { facts.append((keep(key), wanted)) }
    }

    deinit { for room in rooms { room.deallocate() } }

    func keep(_ text: String) -> ByteView {
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.utf8.count), alignment: 1)
      room.copyBytes(from: text.utf8)
      rooms.append(room)
      return ByteView(start: room.baseAddress, count: text.utf8.count)
    }

    func find(_ key: ByteView) -> FlagFacts? {
      facts.first { $0.0.hasSameBytes(as: key) }.map { name, wanted in
        FlagFacts(key: name, prerequisites: wanted.map { keep($0) })
      }
    }
  }

  private func walk(_ flags: [String: [String]], from key: String) -> [String] {
    let flags = Flags(flags)
    var visited: [String] = []
    guard let flag = key.withBytes({ flags.find($0) }) else { return ["none"] }
    PrerequisiteWalk.each(of: flag, find: flags.find) { key, flag in
      visited.append(String(decoding: key, as: UTF8.self) + (flag == nil ? "?" : ""))
    }
    return visited
  }

  @Test func theDeepestComesFirst() {
    #expect(walk(["a": ["b"], "b": ["c"], "c": []], from: "a") == ["c", "b"])
  }

  @Test func theOrderOfTheListIsKept() {
    #expect(walk(["a": ["x", "b"], "x": [], "b": ["c", "d"], "c": [], "d": []], from: "a") == ["x", "c", "d", "b"])
  }

  @Test func aMissingOneIsVisitedAsUnknown() { #expect(walk(["a": ["nope"]], from: "a") == ["nope?"]) }

  @Test func aFlagThatWantsItselfEnds() { #expect(walk(["a": ["a"]], from: "a") == []) }

  @Test func aCycleEndsAtTheAncestor() {
    #expect(walk(["a": ["b"], "b": ["c"], "c": ["a", "b"]], from: "a") == ["c", "b"])
  }

  @Test func aDiamondCountsTwice() {
    #expect(walk(["a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []], from: "a") == ["d", "b", "d", "c"])
  }

  @Test("A tower of diamonds, and a chain of any length, end at the limit (G2)")
  func limit() {
    var tower: [String: [String]] = ["n40": []]
    for level in 0..<40 { tower["n\(level)"] = ["n\(level + 1)", "m\(level)"] }
    for level in 0..<40 { tower["m\(level)"] = ["n\(level + 1)"] }
    #expect(walk(tower, from: "n0").count == PrerequisiteWalk.maximumVisits)
    var chain: [String: [String]] = [:]
    for level in 0...PrerequisiteWalk.maximumVisits + 1 { chain["c\(level)"] = ["c\(level + 1)"] }
    #expect(walk(chain, from: "c0").count == PrerequisiteWalk.maximumVisits)
  }
}
