import HoistBase
import Testing

@Suite struct URLTextTests {
  @Test func aURLIsTakenApart() throws {
    let url = try URLText("HTTPS://User:Pw@Flags.Example.com:8443/API/frontend/?a=1&b=[c]#top")
    #expect(url.scheme == .https)
    #expect(url.userInfo == "User:Pw")
    #expect(url.host == "flags.example.com")
    #expect(url.port == 8_443)
    #expect(url.path == "/API/frontend/")
    #expect(url.query == "a=1&b=[c]")
    #expect(url.text == "https://User:Pw@flags.example.com:8443/API/frontend/?a=1&b=[c]")
  }

  @Test(arguments: [
    ("http://h", "http://h", 80, "", String?.none), ("http://h/", "http://h/", 80, "/", nil),
    ("https://h:443/x", "https://h/x", 443, "/x", nil),
    ("http://h:443", "http://h:443", 443, "", nil),
    ("http://h?q", "http://h?q", 80, "", "q"), ("http://h?", "http://h?", 80, "", ""),
    ("http://h#f", "http://h", 80, "", nil), ("http://h?q/a?b", "http://h?q/a?b", 80, "", "q/a?b"),
    (
      "http://127.0.0.1:4242/api/frontend", "http://127.0.0.1:4242/api/frontend", 4_242,
      "/api/frontend", nil
    ),
    ("http://[::1]:80/a%20b", "http://[::1]/a%20b", 80, "/a%20b", nil),
    ("http://my_host.local.:1/a@b:c", "http://my_host.local.:1/a@b:c", 1, "/a@b:c", nil),
    ("http://h//a//", "http://h//a//", 80, "//a//", nil),
  ])
  func textIsKept(given: String, text: String, port: Int, path: String, query: String?) throws {
    let url = try URLText(given)
    #expect(url.text == text)
    #expect(url.port == port)
    #expect(url.path == path)
    #expect(url.query == query)
  }

  @Test(
    "What stands before the host is not shown, in whatever is or was to be a URL (G7)",
    arguments: [
      ("https://user:pw@h:80/a@b?c@d", "https://***@h:80/a@b?c@d"), ("http://u@h", "http://***@h"), ("u:p@h:1", "***@h:1"),
      ("socks5h://u:p@w@h", "socks5h://***@h"), ("http://u:p/w@h:1/x", "http://***@h:1/x"), ("http://u:p?w@h", "http://***@h"),
      ("https://h/a@b", "https://h/a@b"), ("https://[::1]:8/{sdk_key}@", "https://[::1]:8/{sdk_key}@"), ("h:1", "h:1"),
      ("@", "***@"), ("", ""), ("://", "://"), ("not a url", "not a url"),
    ])
  func userAndPasswordAreNotShown(given: String, shown: String) { #expect(URLText.withoutUser(given) == shown) }

  @Test(
    "The last segment of a path is the last that is not empty",
    arguments: [
      ("http://h/a/b", "b", "http://h/a/"), ("http://h/a//b//?q", "b", "http://h/a//"), ("http://h/", nil, "http://h/"),
      ("http://h?q", nil, "http://h"), ("http://h/a", "a", "http://h/"),
    ])
  func segments(given: String, last: String?, parent: String) throws {
    let url = try URLText(given)
    #expect(url.lastSegment.map { String($0) } == last && url.parent.text == parent)
  }

  @Test(arguments: [
    ("", URLText.Problem.noScheme), ("flags.example.com/api", .noScheme), ("//h/a", .noScheme),
    ("/api", .noScheme), ("http:/h", .noScheme), ("http:h", .noScheme), ("://h", .noScheme),
    ("ftp://h", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
    ("httpss://h", .unsupportedScheme), ("http1://h", .unsupportedScheme),
    ("http://", .invalidHost), ("http:///a", .invalidHost), ("http://:80", .invalidHost),
    ("http://u@", .invalidHost), ("http://a@b@c", .invalidHost), ("http://a,b", .invalidHost),
    ("http://a%41", .invalidHost), ("http://[::1", .invalidHost),
    ("http://[1.2.3.4]", .invalidHost),
    ("http://[::1]x", .invalidHost), ("http://[fe80::1%25lo]", .invalidHost),
    ("http://::1", .invalidHost),
    ("http://h:", .invalidPort), ("http://h:0", .invalidPort), ("http://h:65536", .invalidPort),
    ("http://h:-1", .invalidPort), ("http://h:8o", .invalidPort), ("http://h:1:2", .invalidPort),
    ("http://h/a b", .invalidCharacter), (" http://h", .invalidCharacter),
    ("http://h\n", .invalidCharacter),
    ("http://h/\r\nX: y", .invalidCharacter), ("http://h/\u{0}", .invalidCharacter),
    ("http://h/é", .invalidCharacter), ("http://bücher.example", .invalidCharacter),
    ("http://h/%", .invalidCharacter), ("http://h/%2", .invalidCharacter),
    ("http://h/%zz", .invalidCharacter),
    ("http://h\\@evil/", .invalidCharacter), ("http://h/<a>", .invalidCharacter),
    ("http://h/\"", .invalidCharacter),
    ("http://h/{id}", .invalidCharacter), ("http://h/\u{7F}", .invalidCharacter),
  ])
  func unusableURLsAreRefusedWithAReason(text: String, problem: URLText.Problem) {
    #expect(throws: problem) { try URLText(text) }
    if text.utf8.count > 4 { #expect(!problem.description.contains(text)) }
  }

  @Test func lengthHasALimit() throws {
    let start = "http://h/"
    let longest = start + String(repeating: "a", count: URLText.maximumBytes - start.utf8.count)
    #expect(try URLText(longest).text == longest)
    #expect(throws: URLText.Problem.tooLong) { try URLText(longest + "a") }
    #expect(throws: URLText.Problem.invalidHost) {
      try URLText("http://" + String(repeating: "a", count: 254))
    }
  }

  /// protocols/unleash.md B.2: a query already there is replaced.
  @Test func theQueryIsReplaced() throws {
    let url = try URLText("https://h.test:8443/a/b/api/frontend?old=1")
    let pairs = [("userId", "a b"), ("properties[tier]", "gold&é"), ("empty", "")]
    #expect(
      url.replacingQuery(pairs: pairs).text
        == "https://h.test:8443/a/b/api/frontend?userId=a%20b&properties%5Btier%5D=gold%26%C3%A9&empty="
    )
    #expect(url.replacingQuery(pairs: []).text == "https://h.test:8443/a/b/api/frontend")
    #expect(url.query == "old=1")
  }

  @Test(arguments: [
    ("http://h/api/frontend", "/client/metrics", "http://h/api/frontend/client/metrics"),
    ("http://h/api/frontend/", "client/metrics", "http://h/api/frontend/client/metrics"),
    ("http://h/api//?q=1", "//client", "http://h/api/client"), ("http://h", "a", "http://h/a"),
    ("http://h/", "/a/", "http://h/a/"), ("http://h/a", "", "http://h/a/"),
    ("http://h///", "/", "http://h/"),
  ])
  func pathsAreJoinedByOneSlash(base: String, suffix: String, expected: String) throws {
    #expect(try URLText(base).appendingPath(suffix)?.text == expected)
  }

  @Test(arguments: ["a?b", "a#b", "a b", "é", "%", "a\r\nb"])
  func pathsThatAreNoneAreRefused(suffix: String) throws {
    #expect(try URLText("http://h").appendingPath(suffix) == nil)
  }

  /// G7: tokens in URLs never reach a message.
  @Test func messagesShowNeitherUserInfoNorQuery() throws {
    let url = try URLText("https://user:s3cret@h:8443/path?token=s3cret")
    #expect(url.redacted == "https://h:8443/path")
    #expect(
      URLText.redacted("https://user:s3cret@h:8443/path?token=s3cret") == "https://h:8443/path")
    #expect(URLText.redacted("s3cret text") == "(invalid URL)")
    var dumped = ""
    dump(url, to: &dumped)
    for text in ["\(url)", String(reflecting: url), "\([url])", dumped] {
      #expect(!text.contains("s3cret"))
    }
  }
}
