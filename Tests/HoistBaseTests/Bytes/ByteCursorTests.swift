import HoistBase
import Testing

@Suite struct ByteCursorTests {
  @Test func readsToTheEndAndNotFurther() {
    "ab".withBytes { bytes in
      var cursor = ByteCursor(bytes)
      #expect(cursor.peek() == 0x61)
      #expect(cursor.next() == 0x61)
      #expect(cursor.rest.count == 1)
      #expect(cursor.next() == 0x62)
      #expect(cursor.isAtEnd)
      #expect(cursor.next() == nil)
      #expect(cursor.peek() == nil)
      #expect(cursor.position == 2)
      #expect(cursor.rest.isEmpty)
    }
  }

  @Test func aRefusalTakesNothing() {
    "12:x".withBytes { bytes in
      var cursor = ByteCursor(bytes)
      #expect(cursor.take(0x3A) == false)
      #expect(cursor.take("12;") == false)
      #expect(cursor.take("12:xy") == false)
      #expect(cursor.takeNumber(minimumDigits: 3, maximumDigits: 4) == nil)
      #expect(cursor.position == 0)
      #expect(cursor.take("12:") == true)
      #expect(cursor.takeNumber(minimumDigits: 0, maximumDigits: 4) == nil)
      #expect(cursor.position == 3)
    }
  }

  @Test func numbersEndAtTheirLongest() {
    "123456789012345678901234".withBytes { bytes in
      var cursor = ByteCursor(bytes)
      #expect(cursor.takeNumber(minimumDigits: 2, maximumDigits: 4) == 1234)
      #expect(cursor.takeNumber(minimumDigits: 1, maximumDigits: .max) == 567_890_123_456_789_012)
      #expect(cursor.position == 22)
      #expect(cursor.take(while: ASCII.isDigit) == 2)
    }
  }

  @Test func anEmptyViewHasNothing() {
    var cursor = ByteCursor(ByteView(start: nil, count: 0))
    #expect(cursor.isAtEnd)
    #expect(cursor.next() == nil)
    #expect(cursor.take("a") == false)
    #expect(cursor.take(while: { _ in true }) == 0)
  }
}
