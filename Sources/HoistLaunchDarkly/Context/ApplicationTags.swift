internal import HoistBase

/// What the host calls its application (property `application.…`). Nil where it does not say.
public struct ApplicationInfo: Sendable, Equatable {
  public var id: String?
  public var name: String?
  public var version: String?
  public var versionName: String?

  public init(id: String? = nil, name: String? = nil, version: String? = nil, versionName: String? = nil) {
    self.id = id
    self.name = name
    self.version = version
    self.versionName = versionName
  }
}

/// The header X-LaunchDarkly-Tags (protocols/launchdarkly.md 2.1 "Tags").
public struct ApplicationTags: Sendable {
  /// Nil when there is nothing to tell.
  public let header: String?
  /// What was given and cannot be sent, in the words of the header.
  public let discarded: [String]

  private static let maximumBytes = 64

  public init(_ application: ApplicationInfo) {
    self.init([
      ("application-id", application.id), ("application-name", application.name),
      ("application-version", application.version), ("application-version-name", application.versionName),
    ])
  }

  /// As servers send them (server 2.1): fewer, and a blank has no place in them.
  init(server application: ApplicationInfo) {
    self.init([("application-id", application.id), ("application-version", application.version)]) { !$0.utf8.contains(0x20) }
  }

  private init(_ values: [(name: String, value: String?)], isAllowed: (String) -> Bool = { _ in true }) {
    var tags: [String] = []
    var discarded: [String] = []
    for (name, value) in values {
      guard let value else { continue }
      if isAllowed(value), let text = Self.sendable(value) { tags.append("\(name)/\(text)") } else { discarded.append(name) }
    }
    header = tags.isEmpty ? nil : tags.joined(separator: " ")
    self.discarded = discarded
  }

  /// The value with hyphens for spaces; nil when it is too long or holds anything else.
  static func sendable(_ value: String) -> String? {
    let bytes = value.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "-") : $0 }
    guard (1...maximumBytes).contains(bytes.count), bytes.allSatisfy(isAllowed) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: ASCII.isAlphanumeric(byte)
    }
  }
}
