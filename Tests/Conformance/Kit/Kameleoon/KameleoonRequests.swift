import HoistBase
import HoistCore
import HoistJSON

/// Nonces of a case as the vectors label them: `{N1}`, `{N2}`, …, in the order in which the expected lines name them.
struct NonceLabels {
  private var labels: [String: String] = [:]
  private var nonces: [String: String] = [:]

  /// The label that stands for a nonce where `expected` is wanted; what is no nonce, or another's, stands for itself.
  mutating func label(_ nonce: String, expected: String) -> String {
    let isNonce = nonce.utf8.count == 16 && nonce.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
    guard isNonce else { return nonce }
    if let known = labels[nonce] { return known }
    if nonces[expected] != nil { return "another nonce than \(expected)" }
    (labels[nonce], nonces[expected]) = (expected, nonce)
    return expected
  }
}

/// Requests as texts that are equal where the requests say the same.
extension KameleoonCase {
  func expectedRequest(_ request: JSONValue) -> String {
    let headers = members(request["headers"]).map { ($0.key.string, Self.named($0.value.string ?? "")) }
    let lines = request["lines"]?.array?.map { Self.fields($0.string ?? "").text }
    return Self.text(
      request["method"]?.string ?? "", Self.named(request["url"]?.string ?? ""), headers,
      body: lines.map { $0.joined(separator: "\n") } ?? request["body"]?.string ?? "")
  }

  /// The requests that were sent, with the headers and the labels that are wanted, and visitors in the order wanted.
  func arranged(_ requests: [HTTPRequest], like expected: JSONValue) -> String {
    let wanted = expected.array.map { Array($0) } ?? []
    return requests.enumerated().map { index, request in
      let like = index < wanted.count ? wanted[index] : nil
      let headers = members(like?["headers"]).map { ($0.key.string, request.headers.value(of: $0.key.string) ?? "(none)") }
      var body = request.text
      if let lines = like?["lines"]?.array { body = arranged(lines: body, like: lines.map { Self.fields($0.string ?? "") }) }
      return Self.text(request.method, request.url, headers, body: body)
    }.joined(separator: " ; ")
  }

  /// Lines of one visitor stay in their order; visitors come as they are wanted.
  private func arranged(lines body: String, like wanted: [Line]) -> String {
    var rest = body.isEmpty ? [] : body.split(separator: "\n", omittingEmptySubsequences: false).map { Self.fields(String($0)) }
    var sorted: [Line] = []
    for line in wanted {
      guard let place = rest.firstIndex(where: { $0.visitor == line.visitor }) else { continue }
      var found = rest.remove(at: place)
      found.nonce = nonces.label(found.nonce, expected: line.nonce)
      sorted.append(found)
    }
    return (sorted + rest).map(\.text).joined(separator: "\n")
  }

  private struct Line {
    var nonce = ""
    var visitor = ""
    var others: [String] = []
    var text: String { "\(nonce) \(visitor) \(others.sorted().joined(separator: " "))" }
  }

  /// `name=value` pairs, decoded; numbers as numbers, JSON as its text.
  private static func fields(_ line: String) -> Line {
    var fields = Line()
    for pair in line.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (String(parts[0]), decoded(parts.count > 1 ? parts[1] : ""))
      switch name {
      case "nonce": fields.nonce = value
      case "visitorCode", "mappingValue": fields.visitor = "\(name)=\(value)"
      case "valuesCountMap", "metadata":
        let document = try? JSONDocument(parsing: Array(value.utf8))
        fields.others.append("\(name)=\(document?.withRoot { ordered($0) } ?? "(not JSON)")")
      case "revenue", "browserVersion", "latitude", "longitude":
        fields.others.append("\(name)=\(Double(value).map { "\($0)" } ?? value)")
      default: fields.others.append("\(name)=\(value)")
      }
    }
    return fields
  }

  /// The order of members counts: it is that of the values.
  private static func ordered(_ value: JSONValue) -> String { String(decoding: value.source, as: UTF8.self) }

  /// An address as text that is equal where the address says the same.
  static func comparable(url: String) -> String { text("", named(url), [], body: "") }

  /// Method, address with its query in order, headers, body.
  private static func text(_ method: String, _ url: String, _ headers: [(String, String)], body: String) -> String {
    let parts = url.split(separator: "?", maxSplits: 1)
    let query = parts.count > 1 ? parts[1].split(separator: "&").map { decoded($0) }.sorted() : []
    let told = headers.map { "\($0.0): \($0.1)" }.sorted()
    return "\(method) \(parts.first ?? "") \(query) \(told) \(body)"
  }

  private static func named(_ text: String) -> String {
    replacing("{SDK_VERSION}", in: replacing("{SDK_NAME}", in: text, with: "SWIFT"), with: "4.25.0")
  }

  private static func replacing(_ part: String, in text: String, with other: String) -> String {
    var result = ""
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix(part) {
        result += other
        rest = rest.dropFirst(part.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }

  private static func decoded(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
