import HoistBase
@testable import HoistCore
import Testing

@Suite("A snapshot builder lays out one block") struct SnapshotBuilderTests {
  let nothing: EvaluateFunction = { _, _, _, _ in }

  @Test func textsOfTheSameBytesShareOnePlace() {
    var builder = SnapshotBuilder()
    let first = builder.text("shared")
    let other = builder.text("other")
    let again = [builder.text("shared"), builder.text(Array("shared".utf8))]
    #expect(again == [first, first])
    #expect(other != first)
    // Canonically equivalent texts are different bytes.
    let (composed, decomposed) = (builder.text("\u{E9}"), builder.text("e\u{301}"))
    #expect(composed != decomposed)
  }

  @Test func theEmptyTextIsNotNoText() {
    var builder = SnapshotBuilder()
    let empty = builder.text("")
    #expect(!empty.isNone && empty.count == 0)
    #expect(TextReference.none.isNone)
  }

  @Test func reservedBytesAreAlignedAndZero() throws {
    var builder = SnapshotBuilder(expectedBytes: 0)
    _ = builder.text("x")  // leaves the end unaligned
    var offsets: [(Int, UInt32)] = []
    for alignment in [1, 2, 4, 8, 16] {
      offsets.append((alignment, builder.reserve(bytes: 3000, alignment: alignment)))
    }
    let finished = builder.finish(evaluate: nothing)
    let snapshot = try #require(finished)
    defer { snapshot.destroy() }
    for (alignment, offset) in offsets {
      #expect(Int(offset) % alignment == 0)
      let bytes = ByteView(start: snapshot.base + Int(offset), count: 3000)
      #expect(bytes.allSatisfy { $0 == 0 })
    }
  }

  @Test func whatIsAppendedSurvivesGrowth() throws {
    var builder = SnapshotBuilder(expectedBytes: 1)
    let number = builder.append(UInt64(0x0123_4567_89AB_CDEF))
    let list = builder.append(contentsOf: [UInt32](1...1000))
    let empty = builder.append(contentsOf: [UInt32]())
    let text = builder.text(String(repeating: "t", count: 100_000))
    builder.store(UInt64(42), at: number)
    #expect(empty.isNone)
    let finished = builder.finish(evaluate: nothing, root: list)
    let snapshot = try #require(finished)
    defer { snapshot.destroy() }
    #expect(snapshot.base.at(number).pointee == 42)
    let numbers = UnsafeBufferPointer(start: snapshot.base.at(list), count: 1000)
    #expect(numbers.elementsEqual(1...1000))
    #expect(text.bytes(snapshot.base).allSatisfy { $0 == UInt8(ascii: "t") })
    #expect(snapshot.root(as: UInt32.self) == snapshot.base.at(list))
    #expect(snapshot.head.pointee.byteCount > 100_000)
  }

  @Test("A place that leads out of the snapshot, or to something else, ends a debug build", arguments: [1, 4, 1 << 20])
  func wrongPlaces(moved: UInt32) async {
    await #expect(processExitsWith: .failure) { [moved] in
      var builder = SnapshotBuilder()
      let number = builder.append(UInt64(42))
      if let snapshot = builder.finish(evaluate: { _, _, _, _ in }) {
        _ = snapshot.base.at(Place<UInt64>(offset: number.offset &+ moved)).pointee
      }
    }
  }

  @Test func aStoreBeyondTheEndChangesNothing() throws {
    var builder = SnapshotBuilder()
    let last = builder.append(UInt32(7))
    builder.store(UInt64.max, at: Place(offset: last.offset))  // four bytes too long
    builder.store(UInt32.max, at: last.at(1))
    builder.store(UInt32.max, at: Place(offset: .max))
    let finished = builder.finish(evaluate: nothing)
    let snapshot = try #require(finished)
    defer { snapshot.destroy() }
    #expect(snapshot.base.at(last).pointee == 7)
  }

  @Test("A block beyond 32 bits of offset is refused, not built", arguments: [Int.max, Int(UInt32.max), -1])
  func tooLargeIsBroken(bytes: Int) {
    var builder = SnapshotBuilder()
    let offset = builder.reserve(bytes: bytes, alignment: 8)
    let isBroken = builder.isBroken
    #expect(offset == 0 && isBroken)
    // Whatever follows is harmless and does not mend it.
    let text = builder.text("late")
    #expect(text.isNone)
    let later = [builder.append(UInt64(1)).offset, builder.append(contentsOf: [1, 2, 3]).offset]
    #expect(later == [0, 0])
    builder.store(UInt64(1), at: .none)
    builder.addFlag(record: Place<UInt64>(offset: 8), name: text)
    let finished = builder.finish(evaluate: nothing)
    #expect(finished == nil)
  }

  @Test func moreCountersThanCanBeNumberedBreakTheBuilder() {
    var builder = SnapshotBuilder()
    _ = builder.cells(.max)
    let atTheLimit = builder.isBroken
    _ = builder.cells(1)
    let beyond = builder.isBroken
    #expect(!atTheLimit && beyond)
  }

  @Test func aBrokenBuilderDoesNotKeepResources() {
    final class Resource {}
    weak var seen: Resource?
    do {
      let resource = Resource()
      seen = resource
      var builder = SnapshotBuilder()
      _ = builder.reserve(bytes: -1, alignment: 1)
      let finished = builder.finish(evaluate: nothing, resources: resource)
      #expect(finished == nil)
    }
    #expect(seen == nil)
  }

  @Test func countersAreHandedOutOneAfterTheOther() {
    var builder = SnapshotBuilder()
    let firsts = [builder.cells(3), builder.cells(0), builder.cells(2), builder.cells(1)]
    #expect(firsts == [0, 3, 3, 5])
  }
}
