import HoistBase
import HoistTestSupport
@testable import HoistCore
import Testing

@Suite("Text for C") struct CTextTests {
  private final class Lender: Sendable {
    let freed: Locked<Bool>
    init(_ freed: Locked<Bool>) { self.freed = freed }
    deinit { freed.value = true }
  }

  @Test func aLentTextKeepsItsLender() {
    let freed = Locked(false)
    let bytes = Array("text\0".utf8)
    bytes.withUnsafeBytes { bytes in
      var text: CText? = CText(ByteView(rebasing: bytes.dropLast()), lentBy: Lender(freed))
      #expect(text?.string == "text" && text?.count == 4 && text?.pointer[4] == 0 && !freed.value)
      text = nil
      #expect(freed.value)
    }
  }

  /// Whatever stands where it points.
  @Test func anEmptyLentTextEndsAtOnce() {
    let bytes = Array("text".utf8)
    bytes.withUnsafeBytes { bytes in
      let text = CText(ByteView(rebasing: bytes.prefix(0)), lentBy: Lender(Locked(false)))
      #expect(text.string.isEmpty && text.pointer[0] == 0)
    }
  }
}
