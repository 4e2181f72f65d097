import HoistBase
import Testing

/// protocols/unleash.md C.4 (UNL-95; no client).
@Suite struct FullLowercaseTests {
  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("ABC xyz 123", "abc xyz 123"), ("@[`{", "@[`{"), ("ÄÖÜ", "äöü"),
    ("ß", "ß"), ("ẞ", "ß"), ("\u{130}", "i\u{307}"), ("I", "i"), ("Ǆ", "ǆ"), ("ДОМ", "дом"),
    ("\u{212A}", "k"), ("𐐀", "𐐨"), ("日本", "日本"), ("É", "é"), ("E\u{301}", "e\u{301}"),
    ("aÉ" + String(repeating: "Z", count: 3_000), "aé" + String(repeating: "z", count: 3_000)),
    (String(repeating: "Z", count: 5_000), String(repeating: "z", count: 5_000)),
  ])
  func letters(text: String, expected: String) {
    #expect(Array(FullLowercase.text(text).utf8) == Array(expected.utf8))
  }

  /// A sigma is final after a cased letter and not before one, apostrophes and accents aside.
  @Test(arguments: [
    ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ ΟΔΟΣ", "οδος οδος"), ("Σ", "σ"), ("ΣΑΣ", "σας"), ("ΑΣΑ", "ασα"),
    ("Α.Σ", "α.ς"), ("ΑΣ.", "ας."), ("ΑΣ.Α", "ασ.α"), ("ΑΣ'", "ας'"), ("'Σ", "'σ"),
    ("Α\u{301}Σ", "α\u{301}ς"), ("ΑΣ\u{301}Β", "ασ\u{301}β"), ("ΑΣ1", "ας1"), ("1Σ", "1σ"),
    ("aΣ", "aς"), ("aΣb", "aσb"), ("ΣΣ", "σς"), ("ΑΣ-Α", "ας-α"), ("日Σ", "日σ"),
  ])
  func sigma(text: String, expected: String) {
    #expect(Array(FullLowercase.text(text).utf8) == Array(expected.utf8))
  }

  @Test(arguments: ["already lower", "@[@[@[@[@[@[`{`{`{`{", "short"])
  func unchangedTextIsNotCopied(text: String) {
    text.withBytes { bytes in
      FullLowercase.withLowercased(bytes) { #expect($0.baseAddress == bytes.baseAddress) }
    }
  }

  @Test func everyASCIIByteAtEveryPlaceIsLowered() {
    for byte in UInt8(0)..<0x80 {
      for count in 1...17 {
        for place in 0..<count {
          var bytes = [UInt8](repeating: 0x7F, count: count)
          bytes[place] = byte
          let lowered = bytes.withBytes { FullLowercase.withLowercased($0) { Array($0) } }
          bytes[place] = ASCII.lowercased(byte)
          #expect(lowered == bytes)
        }
      }
    }
  }

  @Test func oneOtherByteAtAnyPlaceIsSeen() {
    for count in 1...17 {
      for place in 0..<count {
        let text = String(repeating: "a", count: place) + "É" + String(repeating: "b", count: count)
        #expect(FullLowercase.text(text).unicodeScalars.contains("é"))
      }
    }
  }

  @Test func invalidBytesAreRepaired() {
    #expect(FullLowercase.text([0x41, 0xFF]) == "a\u{FFFD}")
  }

  @Test func longRunsBetweenSigmasTakeNoLongTime() {
    let marks = String(repeating: "\u{301}", count: 20_000)
    let lowered = FullLowercase.text("Α\(marks)Σ\(marks)Β")
    #expect(lowered.unicodeScalars.contains("σ"))
    #expect(!lowered.unicodeScalars.contains("ς"))
  }
}
