public import HoistBase
internal import HoistJSON

/// Asks the data platform which segments a visitor is in (protocols/optimizely.md 3.5).
public struct SegmentsQuery: Sendable, Equatable {
  /// `https://api.zaius.com`, without a slash at the end.
  public var host: String
  public var apiKey: String
  /// The user id, or a VUID.
  public var userID: [UInt8]
  public var segments: [[UInt8]]

  public init(host: String, apiKey: String, userID: [UInt8], segments: [[UInt8]]) {
    self.host = host
    self.apiKey = apiKey
    self.userID = userID
    self.segments = segments
  }

  public var url: String { host + "/v3/graphql" }
  /// Goes with the content type `application/json`.
  public var headers: [(name: String, value: String)] {
    [("content-type", "application/json"), ("x-api-key", apiKey)]
  }

  public var body: [UInt8] {
    let identity = VUID.isOne(userID) ? "vuid" : "fs_user_id"
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("query")
      writer.string(
        "query($userId: String, $audiences: [String]) {customer(\(identity): $userId) "
          + "{audiences(subset: $audiences) {edges {node {name state}}}}}")
      writer.key("variables")
      writer.object { writer in
        writer.key("userId")
        userID.withUnsafeBufferPointer { writer.string(utf8: $0) }
        writer.key("audiences")
        writer.array { writer in
          for segment in segments { segment.withUnsafeBufferPointer { writer.string(utf8: $0) } }
        }
      }
    }
    return writer.bytes
  }
}

/// What the data platform answered.
public enum SegmentsAnswer: Sendable, Equatable {
  /// In the order of the answer; none is a good answer too.
  case segments([[UInt8]])
  case invalidIdentifier
  /// The hint of `fetchSegmentsFailed`.
  case failed(String)

  /// - Parameter status: of the answer; nil when there was none.
  public init(status: Int?, body: [UInt8]) {
    guard let status else {
      self = .failed("network error")
      return
    }
    guard status < 400 else {
      self = .failed(String(status))
      return
    }
    guard let document = try? JSONDocument(parsing: body) else {
      self = .failed("decode error")
      return
    }
    self = document.withRoot { Self.read($0) }
  }

  private static func read(_ root: JSONValue) -> SegmentsAnswer {
    if let extensions = root["errors"]?.array?.element(at: 0)?["extensions"],
      let classification = extensions["classification"]?.string
    {
      let isUnknown = extensions["code"]?.utf8.map { ByteView($0).reads("INVALID_IDENTIFIER_EXCEPTION") } ?? false
      return isUnknown ? .invalidIdentifier : .failed(classification)
    }
    guard let edges = root["data"]?["customer"]?["audiences"]?["edges"]?.array else { return .failed("decode error") }
    return .segments(
      edges.compactMap { edge in
        guard let node = edge["node"], node["state"]?.utf8.map({ ByteView($0).reads("qualified") }) ?? false else { return nil }
        return node["name"]?.utf8.map { Array($0) }
      })
  }
}

/// Ids of anonymous visitors (protocols/optimizely.md 5.8).
public enum VUID {
  /// Whether a user id is one.
  public static func isOne(_ id: [UInt8]) -> Bool { ASCII.equalsIgnoringCase(id.prefix(5), "vuid_") }

  /// Whether it is one of the service's making: of 32 characters, the last 27 of them hexadecimal digits.
  static func isWhole(_ id: [UInt8]) -> Bool {
    id.count == 32 && isOne(id)
      && id.dropFirst(5).allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66 }
  }

  /// A new one: 32 characters.
  public static func make(from entropy: some Entropy) -> String { "vuid_" + String(UUIDv4(from: entropy).digits.prefix(27)) }
}
