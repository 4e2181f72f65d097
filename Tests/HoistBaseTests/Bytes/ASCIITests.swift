import HoistBase
import Testing

@Suite struct ASCIITests {
  @Test func everyByteIsClassified() {
    for byte in UInt8.min...UInt8.max {
      let scalar = Unicode.Scalar(byte)
      let isLetter = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars
        .contains(scalar)
      let isDigit = "0123456789".unicodeScalars.contains(scalar)
      #expect(ASCII.isDigit(byte) == isDigit)
      #expect(ASCII.isLetter(byte) == isLetter)
      #expect(ASCII.isAlphanumeric(byte) == (isLetter || isDigit))
      #expect(ASCII.isUppercase(byte) == (isLetter && byte < 0x60))
      #expect(ASCII.lowercased(byte) == (isLetter ? byte | 0x20 : byte))
      let hexDigit = byte < 0x80 ? Character(scalar).hexDigitValue : nil
      #expect(ASCII.hexValue(byte).map(Int.init) == hexDigit)
    }
  }

  @Test(arguments: [
    ("Content-Type", "content-TYPE", true), ("a", "b", false), ("ab", "a", false), ("", "", true),
    ("É", "é", false), ("@", "`", false),
  ])
  func caseOfLettersOnlyIsIgnored(left: String, right: String, expected: Bool) {
    #expect(ASCII.equalsIgnoringCase(left, right) == expected)
  }

  @Test(arguments: [
    (" \t a b \t", "a b"), ("", ""), ("   ", ""), ("a", "a"), ("\na\n", "\na\n"),
  ])
  func blanksAndTabsAreTrimmed(text: String, expected: String) {
    let trimmed = text.withBytes { String(decoding: ASCII.trimmed($0), as: UTF8.self) }
    #expect(trimmed == expected)
  }
}
