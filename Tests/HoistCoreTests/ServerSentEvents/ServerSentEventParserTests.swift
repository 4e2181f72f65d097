import HoistCore
import Testing

/// The parser of event streams; cases cite `protocols/launchdarkly.md` 2.2 by step.
@Suite struct ServerSentEventParserTests {
  // MARK: Lines

  @Test(arguments: ["\n", "\r", "\r\n"])
  func everyLineEndingOfTheStandardEndsALine(ending: String) {
    let stream = ["event: put", "data: a", "data: b", "", "data: c", "", ""].joined(separator: ending)
    #expect(parse(stream) == [event("put", "a\nb"), event("message", "c")])
  }

  @Test func lineEndingsMayBeMixed() {
    #expect(parse("data: a\rdata: b\r\ndata: c\n\r\n") == [event("message", "a\nb\nc")])
  }

  @Test func carriageReturnAndLineFeedInTwoChunksAreOneEnd() {
    // Step 2: were they two, the line feed would dispatch after "a".
    #expect(parse("data: a\r", "\ndata: b\r", "\n\r", "\n") == [event("message", "a\nb")])
  }

  @Test func carriageReturnAtTheEndOfAChunkEndsTheLineAtOnce() {
    var parser = ServerSentEventParser()
    #expect(parser.feed("data: a\r\r") == [event("message", "a")])
    #expect(parser.feed("\ndata: b\n\n") == [event("message", "b")])
  }

  @Test func noOtherCharacterEndsALine() {
    let odd = "a\u{0B}b\u{0C}c\u{85}d\u{2028}e\u{2029}f\u{1E}g"
    #expect(parse("data: \(odd)\n\n") == [event("message", odd)])
  }

  // MARK: Text

  @Test func byteOrderMarkIsStrippedOnceEvenWhenSplit() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let message = Array("data: a\n\n".utf8)
    #expect(parse([mark + message]) == [event("message", "a")])
    #expect(parse([[0xEF], [0xBB], [0xBF] + message]) == [event("message", "a")])
    #expect(parse([mark + mark + message]).isEmpty, "the second one belongs to the field name")
    #expect(parse([message + mark + message]) == [event("message", "a")], "only at the start of the stream")
  }

  @Test func halfAByteOrderMarkIsText() {
    #expect(parse([[0xEF, 0xBB], Array("data: a\n\n".utf8)]).isEmpty)
  }

  @Test func charactersMayBeSplitOverChunks() {
    let bytes = Array("data: é漢😀\n\n".utf8)
    #expect(parse(bytes.map { [$0] }) == [event("message", "é漢😀")])
  }

  @Test func invalidBytesBecomeReplacementCharacters() {
    // The standard's decoder: one replacement per maximal part of a broken sequence.
    let cases: [([UInt8], String)] = [
      ([0xFF], "\u{FFFD}"), ([0x41, 0x80, 0x42], "A\u{FFFD}B"), ([0xE2, 0x82], "\u{FFFD}"),
      ([0xE2, 0x82, 0x41], "\u{FFFD}A"), ([0xC0, 0xAF], "\u{FFFD}\u{FFFD}"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xF0, 0x9F, 0x98], "\u{FFFD}"),
    ]
    for (bytes, text) in cases {
      let stream = Array("data: ".utf8) + bytes + Array("\n\n".utf8)
      #expect(parse([stream]) == [event("message", text)], "\(bytes)")
    }
  }

  @Test func aNULIsDataLikeAnyOther() {
    #expect(parse("data: a\0b\n\n") == [event("message", "a\0b")])
  }

  // MARK: Fields

  @Test func oneLeadingSpaceOfAValueIsDropped() {
    #expect(parse("data:a\ndata: b\ndata:  c\ndata:\td\n\n") == [event("message", "a\nb\n c\n\td")])
  }

  @Test func aLineWithoutColonIsAFieldWithoutValue() {
    #expect(parse("data\n\n") == [event("message", "")])
    #expect(parse("data\ndata\n\n") == [event("message", "\n")])
    #expect(parse("dat\n\n").isEmpty)
  }

  @Test func namesAreCaseSensitiveAndExact() {
    #expect(parse("Data: a\nDATA: b\n data: c\ndata : d\n\n").isEmpty)
  }

  @Test func aValueMayHoldColons() {
    #expect(parse("data:a:b: c\n\n") == [event("message", "a:b: c")])
  }

  @Test func aCommentIsASignOfLifeAndNothingElse() {
    #expect(items(":\n: ping\n:data: a\n") == [.comment, .comment, .comment])
    #expect(parse("data: a\n: between\ndata: b\n\n") == [event("message", "a\nb")])
  }

  @Test func withoutDataNothingIsDispatchedAndTheTypeIsCleared() {
    #expect(parse("event: put\n\ndata: a\n\n") == [event("message", "a")])
    #expect(parse("\n\n\n").isEmpty)
  }

  @Test func theLastTypeCountsAndAnEmptyOneIsMessage() {
    #expect(parse("event: a\nevent: b\ndata\n\n") == [event("b", "")])
    #expect(parse("event: a\nevent\ndata\n\n") == [event("message", "")])
  }

  // MARK: Ids and delays

  @Test func anIdLastsUntilAnotherIsDispatched() {
    let found = parse("id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\nid\ndata: d\n\n")
    #expect(
      found == [
        event("message", "a", id: "1"), event("message", "b", id: "1"), event("message", "c", id: "2"),
        event("message", "d", id: ""),
      ])
  }

  @Test func anIdIsCommittedWithoutDataButNotBeforeTheEmptyLine() {
    var parser = ServerSentEventParser()
    _ = parser.feed("id: 7\n")
    #expect(parser.lastEventID == "")
    _ = parser.feed("\n")
    #expect(parser.lastEventID == "7")
  }

  @Test func anIdWithNULIsIgnored() {
    #expect(parse("id: 1\n\nid: 2\0\ndata: a\n\n") == [event("message", "a", id: "1")])
  }

  @Test func retryIsDigitsOnly() {
    #expect(items("retry: 250\n") == [.retry(milliseconds: 250)])
    #expect(items("retry:0\nretry: 007\n") == [.retry(milliseconds: 0), .retry(milliseconds: 7)])
    for refused in ["", "-1", "+1", "1.5", "1 ", " 1", "1e3", "٣", "0x10", "1\0"] {
      #expect(items("retry: \(refused)\n").isEmpty, "\(refused)")
    }
  }

  @Test func anAbsurdRetrySaturates() {
    #expect(items("retry: 9223372036854775807\n") == [.retry(milliseconds: .max)])
    #expect(items("retry: 9223372036854775808\n") == [.retry(milliseconds: .max)])
    #expect(items("retry: \(String(repeating: "9", count: 400))\n") == [.retry(milliseconds: .max)])
  }

  // MARK: Connections and limits

  @Test func resetDropsWhatIsUnfinishedAndKeepsTheId() {
    var parser = ServerSentEventParser()
    _ = parser.feed("id: 1\ndata: a\n\nid: 2\nevent: put\ndata: lost\ndata: half")
    parser.reset()
    #expect(parser.lastEventID == "1")
    #expect(parser.feed("\u{FEFF}data: b\n\n") == [event("message", "b", id: "1")])
  }

  @Test func aLineUpToTheLimitPassesAndOneByteMoreFails() {
    let line = "data: 1234567890"
    var fitting = ServerSentEventParser(maximumLineBytes: line.utf8.count)
    #expect(fitting.feed("\u{FEFF}\(line)\n\n") == [event("message", "1234567890")])
    for start in ["", "\u{FEFF}"] {
      var short = ServerSentEventParser(maximumLineBytes: line.utf8.count - 1)
      #expect(short.feed("\(start)\(line)\n\n") == [.failed(.lineTooLong(limitBytes: line.utf8.count - 1))])
    }
  }

  @Test func aLineThatNeverEndsFailsAtTheLimit() {
    var parser = ServerSentEventParser(maximumLineBytes: 100)
    var found: [ServerSentEventItem] = []
    for _ in 0..<60 where found.isEmpty { found = parser.feed("ab") }
    #expect(found == [.failed(.lineTooLong(limitBytes: 100))])
  }

  @Test func anEventUpToTheLimitPassesAndOneByteMoreFails() {
    let stream = "data: 12345\ndata: 7890\n\n"
    var fitting = ServerSentEventParser(maximumEventBytes: 10)
    #expect(fitting.feed(stream) == [event("message", "12345\n7890")])
    var short = ServerSentEventParser(maximumEventBytes: 9)
    #expect(short.feed(stream) == [.failed(.eventTooLarge(limitBytes: 9))])
    var empty = ServerSentEventParser(maximumEventBytes: 2)
    #expect(empty.feed("data\ndata\ndata\ndata\n") == [.failed(.eventTooLarge(limitBytes: 2))])
  }

  @Test func whatCameBeforeAFailureIsKeptAndNothingComesAfterIt() {
    var parser = ServerSentEventParser(maximumLineBytes: 10)
    let failure = ServerSentEventItem.failed(.lineTooLong(limitBytes: 10))
    #expect(parser.feed("data: a\n\ndata: 0123456789\n\ndata: b\n\n") == [event("message", "a"), failure])
    #expect(parser.feed("data: c\n\n") == [failure])
    parser.reset()
    #expect(parser.feed("data: c\n\n") == [event("message", "c")])
  }

  // MARK: Chunks

  /// Property: where the stream is cut makes no difference.
  @Test(arguments: [1, 20_241, 777_777])
  func anyCuttingGivesTheSameItems(seed: UInt64) {
    var random = Linear(state: seed)
    let pieces =
      [
        "data", ":", " ", "\n", "\r", "\r\n", "id", "event", "retry", "12", "é", "😀", "\u{FEFF}", "\0", "x", "data: y\n",
        "event: put\n", "id: 3\n", "\n\n", ": c\n",
      ].map { Array($0.utf8) } + [[0xFF], [0xE2, 0x82], [0xC3]]
    for _ in 0..<300 {
      let stream = (0..<random.below(40)).flatMap { _ in pieces[random.below(pieces.count)] }
      let whole = items([stream])
      #expect(items(stream.map { [$0] }) == whole, "\(stream)")
      var cut: [[UInt8]] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let count = min(rest.count, random.below(7))
        cut.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      #expect(items(cut) == whole, "seed \(seed): \(cut)")
    }
  }

  private struct Linear {
    var state: UInt64
    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }
}

func event(_ type: String, _ data: String, id: String = "") -> ServerSentEventItem {
  .event(ServerSentEvent(type: type, data: Array(data.utf8), id: id))
}

/// The messages of a stream.
func parse(_ chunks: String...) -> [ServerSentEventItem] { parse(chunks.map { Array($0.utf8) }) }

func parse(_ chunks: [[UInt8]]) -> [ServerSentEventItem] {
  items(chunks).filter {
    if case .event = $0 { true } else { false }
  }
}

func items(_ chunks: String...) -> [ServerSentEventItem] { items(chunks.map { Array($0.utf8) }) }

func items(_ chunks: [[UInt8]]) -> [ServerSentEventItem] {
  var parser = ServerSentEventParser()
  return chunks.flatMap { chunk in chunk.withUnsafeBytes { parser.feed($0) } }
}

extension ServerSentEventParser {
  mutating func feed(_ text: String) -> [ServerSentEventItem] {
    Array(text.utf8).withUnsafeBytes { feed($0) }
  }
}
