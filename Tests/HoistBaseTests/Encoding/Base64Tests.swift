import HoistBase
import HoistTestSupport
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
    #expect(Base64.encode(text, padding: .none) == bare)
  }

  @Test func alphabetsDifferInTwoLetters() {
    let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
    #expect(Base64.encode(bytes) == "+/+/")
    #expect(Base64.encode(bytes, alphabet: .urlSafe) == "-_-_")
  }

  @Test func everythingComesBack() {
    var generator = SeededGenerator(seed: 7)
    for count in 0...70 {
      let bytes = [UInt8].random(count: count, using: &generator)
      for alphabet in [Base64.Alphabet.standard, .urlSafe] {
        #expect(Base64.decode(Base64.encode(bytes, alphabet: alphabet), alphabet: alphabet) == bytes)
      }
    }
  }

  /// The hashed cache key of protocols/launchdarkly.md 3.4.
  @Test func digestsAreEncodedDirectly() {
    #expect(Base64.encode(SHA256.hash("a")) == "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=")
  }
}
