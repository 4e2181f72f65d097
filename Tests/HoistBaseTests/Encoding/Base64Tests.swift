import HoistBase
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func publishedVectors(text: String, encoded: String) {
    let bare = String(encoded.prefix { $0 != "=" })
    #expect(Base64.encode(text) == encoded)
    #expect(Base64.encode(text, padding: .optional) == encoded)
    #expect(Base64.encode(text, padding: .none) == bare)
    #expect(Base64.decode(encoded) == Array(text.utf8))
    #expect(Base64.decode(bare, padding: .none) == Array(text.utf8))
    #expect(Base64.decode(bare, padding: .optional) == Array(text.utf8))
    #expect(Base64.decode(encoded, padding: .optional) == Array(text.utf8))
  }

  @Test func alphabetsDifferInTwoLetters() {
    let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
    #expect(Base64.encode(bytes) == "+/+/")
    #expect(Base64.encode(bytes, alphabet: .urlSafe) == "-_-_")
    #expect(Base64.decode("-_-_", alphabet: .urlSafe) == bytes)
    #expect(Base64.decode("-_-_") == nil)
    #expect(Base64.decode("+/+/", alphabet: .urlSafe) == nil)
  }

  @Test func paddingIsTakenAsAsked() {
    #expect(Base64.decode("Zg") == nil)
    #expect(Base64.decode("Zg==", padding: .none) == nil)
    #expect(Base64.decode("Zg=", padding: .optional) == nil)
    #expect(Base64.decode("Zm9v====", padding: .optional) == nil)
  }

  @Test(arguments: [
    "Z", "A", "Zm9vY", "Zm9vA", "====", "=", "Zm 9v", "Zm9v\n", "Zm9*", "Zg==Zg==", "Z===", "é",
  ])
  func garbageIsRefused(text: String) {
    #expect(Base64.decode(text, padding: .optional) == nil)
  }

  @Test func bitsLeftOverAreRefused() {
    #expect(Base64.decode("Zh==") == nil)
    #expect(Base64.decode("Zm9=") == nil)
  }

  @Test func everythingComesBack() {
    var generator = SeededGenerator(seed: 7)
    for count in 0...70 {
      let bytes = [UInt8].random(count: count, using: &generator)
      for alphabet in [Base64.Alphabet.standard, .urlSafe] {
        for padding in [Base64.Padding.required, .none, .optional] {
          let text = Base64.encode(bytes, alphabet: alphabet, padding: padding)
          #expect(Base64.decode(text, alphabet: alphabet, padding: padding) == bytes)
        }
      }
    }
  }

  /// The hashed cache key of protocols/launchdarkly.md 3.4.
  @Test func digestsAreEncodedDirectly() {
    #expect(Base64.encode(SHA256.hash("a")) == "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=")
  }
}
