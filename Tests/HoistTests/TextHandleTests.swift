import HoistBase
import HoistTestSupport
import Testing

@testable import Hoist

@Suite("Texts that belong to the host") struct TextHandleTests {
  private final class Lender: Sendable {
    let freed: Locked<Bool>
    init(_ freed: Locked<Bool>) { self.freed = freed }
    deinit { freed.value = true }
  }

  private func read(_ handle: OpaquePointer) -> String? { TextHandle.borrow(handle).map { String(cString: $0.pointee.start) } }

  @Test func aCopyHasItsBytesAndANul() {
    let text = "a text, \u{e9}"
    let handle = TextHandle.give(text)
    #expect(read(handle) == text && TextHandle.borrow(handle)?.pointee.count == text.utf8.count)
    TextHandle.take(handle)
  }

  @Test func aLongLentTextStaysWhereItIsAndKeepsItsLender() {
    let freed = Locked(false)
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 1_000) + [0]
    bytes.withUnsafeBytes { bytes in
      let handle = TextHandle.give(ByteView(rebasing: bytes.dropLast()), lentBy: Lender(freed))
      #expect(TextHandle.borrow(handle).map { UnsafeRawPointer($0.pointee.start) } == bytes.baseAddress)
      #expect(TextHandle.borrow(handle)?.pointee.count == 1_000 && !freed.value)
      TextHandle.take(handle)
      #expect(freed.value)
    }
  }

  /// It would hold back what its lender holds, for a few bytes.
  @Test func aShortLentTextIsACopy() {
    let freed = Locked(false)
    let bytes = Array("text\0".utf8)
    let handle = bytes.withUnsafeBytes { TextHandle.give(ByteView(rebasing: $0.dropLast()), lentBy: Lender(freed)) }
    #expect(freed.value && read(handle) == "text")
    TextHandle.take(handle)
  }

  /// Whatever stands where it points.
  @Test func anEmptyTextEndsAtOnce() {
    let bytes = Array("text".utf8)
    let handle = bytes.withUnsafeBytes { TextHandle.give(ByteView(rebasing: $0.prefix(0)), lentBy: Lender(Locked(false))) }
    #expect(read(handle) == "" && TextHandle.borrow(handle)?.pointee.count == 0)
    TextHandle.take(handle)
  }

  @Test func nullIsNoText() {
    #expect(TextHandle.borrow(nil) == nil)
    TextHandle.take(nil)
  }
}
