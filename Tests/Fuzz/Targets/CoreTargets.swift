import HoistBase
import HoistCore
import HoistJSON
import HoistRegex
import HoistTestSupport

/// What is printed reads back as the same document; a reader takes and refuses what a document does.
func checkJSON(_ bytes: ByteView) -> String? {
  let read = try? JSONNode.parse(bytes) { root in
    var writer = JSONWriter()
    writer.value(root)
    return (text: writer.bytes, hasRepeatedNames: root.hasRepeatedNames)
  }
  guard let document = try? JSONDocument(parsing: bytes) else { return read == nil ? nil : "only a reader takes it" }
  guard let read else { return "only a document takes it" }
  if !read.hasRepeatedNames, document.withRoot({ try? $0.text() }) != read.text { return "a reader reads something else" }
  guard let printed = document.sortedText else { return "a document that was read cannot be printed" }
  guard let again = try? JSONDocument(parsing: printed) else { return "what was printed cannot be read" }
  return again.sortedText == printed ? nil : "printed twice, it reads differently"
}

/// How a stream is cut does not change what it says; its limits hold.
func checkStream(_ bytes: ByteView) -> String? {
  var whole = ServerSentEventParser(maximumLineBytes: 512, maximumEventBytes: 1024)
  var cut = whole
  let expected = whole.feed(bytes)
  var items: [ServerSentEventItem] = []
  for index in bytes.indices {
    let next = cut.feed(ByteView(rebasing: bytes[index...index]))
    // After a failure every call repeats it.
    if case .failed? = items.last { continue }
    items += next
  }
  guard items == expected else { return "byte by byte, the stream says something else" }
  for case .event(let event) in items {
    // A byte that is no UTF-8 becomes the three of U+FFFD.
    if event.data.count > 3 * 1024 { return "an event is larger than the limit" }
    if !event.data.withUnsafeBytes(UTF8Text.isValid) { return "an event is no UTF-8" }
  }
  return nil
}

/// The small readers: versions, dates, numbers, addresses, URLs, encodings.
func checkTexts(_ bytes: ByteView) -> String? {
  if let version = SemanticVersion(bytes), version.order(in: bytes, against: version, in: bytes) != .equal {
    return "a version differs from itself"
  }
  if let instant = RFC3339.parse(bytes) {
    let text = RFC3339.text(unixMilliseconds: instant.milliseconds, precision: .milliseconds)
    let isOfTheGrammar = (-62_167_219_200_000...253_402_300_799_999).contains(instant.milliseconds)
    if isOfTheGrammar, RFC3339.parse(text)?.milliseconds != instant.milliseconds { return "\(text) is another instant" }
  }
  if let wait = RetryAfter.milliseconds(bytes, nowUnixMilliseconds: 1_700_000_000_000, capMilliseconds: 60_000),
    !(0...60_000).contains(wait)
  {
    return "Retry-After asks for \(wait) ms"
  }
  _ = HTTPDate.parse(bytes, nowUnixSeconds: 1_700_000_000)
  if let range = CIDR(bytes), !range.contains(range.network) { return "a range does not contain its own network" }
  if let number = DecimalParser.parse(bytes, []), number.isFinite {
    if DecimalParser.parse(JSONNumberText.text(number), []) != number { return "a number changes when it is printed" }
  }
  if let url = try? URLText(bytes) {
    guard let again = try? URLText(url.text) else { return "a URL cannot be read again" }
    if again != url { return "a URL reads differently the second time" }
  }
  return nil
}

/// The first line is a pattern, the rest a subject.
func checkExpression(_ bytes: ByteView) -> String? {
  let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
  let pattern = ByteView(rebasing: bytes[..<end])
  let subject = Array(bytes[end...].dropFirst())
  for caseInsensitive in [false, true] {
    guard
      case .success(let expression) = engine.compile(
        pattern: pattern.bindMemory(to: UInt8.self), caseInsensitive: caseInsensitive)
    else { continue }
    defer { expression.free(expression.code) }
    let answers = subject.withUnsafeBufferPointer { subject -> [Int32] in
      guard let start = subject.baseAddress else { return [0] }
      return (0..<2).map { _ in
        var steps = Int(Int32.max)
        return expression.match(expression.code, start, subject.count, &steps)
      }
    }
    guard answers.allSatisfy({ (-1...1).contains($0) && $0 == answers.first }) else { return "the answers are \(answers)" }
  }
  return nil
}

/// A context printed as JSON reads back as the same one.
func checkContext(_ bytes: ByteView) -> String? {
  guard let context = try? ContextJSON.context(bytes) else { return nil }
  let printed = ContextJSON.text(of: context)
  guard let again = printed.withUnsafeBytes({ try? ContextJSON.context($0) }) else {
    return "a context that was printed cannot be read"
  }
  return ContextJSON.text(of: again) == printed ? nil : "printed twice, the context differs"
}

let engine = PCRE2RegexEngine()

extension JSONDocument {
  var sortedText: [UInt8]? { withRoot { try? $0.text(order: .sorted) } }
}
