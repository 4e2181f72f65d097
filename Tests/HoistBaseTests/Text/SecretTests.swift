import HoistBase
import Testing

/// G7: keys never reach a log line by accident.
@Suite struct SecretTests {
  private struct Holder {
    let name = "client"
    let key: Secret?
  }

  @Test func nothingThatPrintsItShowsIt() {
    let secret = Secret("s3cret-key")
    var dumped = ""
    dump(secret, to: &dumped)
    dump([secret], to: &dumped)
    dump(Holder(key: secret), to: &dumped)
    let printed = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])",
      "\(["k": secret])", "\(Optional(secret) as Any)", "\(Holder(key: secret))",
      String(reflecting: Holder(key: secret)), dumped,
    ]
    for text in printed {
      #expect(!text.contains("s3cret"))
      #expect(text.contains("***"))
    }
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test func revealingGivesTheText() {
    let secret = Secret("käy")
    #expect(secret.reveal() == "käy")
    #expect(secret.withRevealedBytes { Array($0) } == Array("käy".utf8))
    #expect(!secret.isEmpty)
  }

  @Test func anEmptySecretIsEmpty() {
    #expect(Secret("").isEmpty)
    #expect(Secret("").reveal() == "")
    #expect(Secret("") == Secret(ByteView(start: nil, count: 0)))
    #expect("\(Secret(""))" == "***")
  }

  @Test func secretsCompareByBytes() {
    #expect(Secret("abc") == Secret([0x61, 0x62, 0x63] as [UInt8]))
    #expect(Secret("abc") != Secret("abd"))
    #expect(Secret("abc") != Secret("abcd"))
    #expect(Secret("é") != Secret("e\u{301}"))
  }
}
