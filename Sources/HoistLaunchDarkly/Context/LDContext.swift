internal import HoistBase

/// The subject of an evaluation, in the service's sense: one context, or several of different kinds in one (row LD-71,
/// protocols/launchdarkly.md 3). Immutable; any thread.
public final class LDContext: Sendable {
  /// At least one; in the order of their kinds' bytes.
  public let parts: [SingleContext]
  /// The context as flag services get it, with private attributes (3.4).
  public let value: LDValue
  /// The same as compact text, members in the order of their names.
  public let requestJSON: [UInt8]
  /// What identifies the context in events (3.5).
  public let fullyQualifiedKey: String
  /// Under which flags are stored for the context.
  public let hashedKey: String
  /// Differs when the flags may differ.
  public let fingerprint: String

  /// Largest text of a context, in bytes.
  public static let maximumBytes = 1 << 20
  public static let maximumAttributes = 10_000
  /// Containers in one another; a context and one of several are two more around an attribute.
  public static let maximumAttributeDepth = LDValue.maximumDepth - 2
  static let maximumParts = 1_000

  /// - Parameter parts: not empty, of different valid kinds, in order.
  init(_ parts: [SingleContext]) throws(ContextFailure) {
    self.parts = parts
    value = Self.value(of: parts)
    let size = LDValueSize(value, maximumBytes: Self.maximumBytes, maximumDepth: LDValue.maximumDepth)
    requestJSON = size == nil ? [] : value.json
    if size == nil || requestJSON.count > Self.maximumBytes {
      throw ContextFailure(.limit, "the context takes more than \(Self.maximumBytes) bytes as JSON")
    }
    fullyQualifiedKey = Self.fullyQualifiedKey(parts)
    let isUser = parts.count == 1 && parts.allSatisfy { $0.kind.reads("user") }
    hashedKey = Base64.encode(SHA256.hash(fullyQualifiedKey)) + (isUser ? "" : "$")
    let hasPrivate = parts.contains { !$0.privateAttributes.isEmpty }
    fingerprint = Base64.encode(SHA256.hash(hasPrivate ? Self.value(of: parts, namingPrivate: false).json : requestJSON))
  }

  public var isMulti: Bool { parts.count > 1 }
  /// "multi" for several.
  public var kind: String { isMulti ? ContextKind.multi : parts.first?.kind ?? "" }
  /// Of a single context; nil for several, and until a client has made one.
  public var key: String? { isMulti ? nil : parts.first?.key }
  public var kinds: [String] { parts.map(\.kind) }
  public var hasAnonymousPart: Bool { parts.contains(where: \.isAnonymous) }
  /// Whether a client has to make keys before the context can be used.
  public var needsKeys: Bool { parts.contains { $0.key == nil } }

  /// Keys by kind; null for one that is still to be made.
  public var keys: LDValue {
    .object(LDObject(parts.map { LDObject.Member(name: $0.kind, value: $0.key.map { .string($0) } ?? .null) }))
  }

  public func part(ofKind kind: String) -> SingleContext? { parts.first { $0.kind.hasSameBytes(as: kind) } }

  /// The same as a context of its own.
  public func context(ofKind kind: String) -> LDContext? {
    guard let part = part(ofKind: kind) else { return nil }
    return isMulti ? try? LDContext([part]) : self
  }

  /// The context's JSON as it stands in the paths of requests (2.2).
  public var pathSegment: String { Base64.encode(requestJSON, alphabet: .urlSafe, padding: .required) }

  /// The value a reference leads to; nil when there is none. Several contexts in one have only "kind".
  public func value(at reference: AttributeReference) -> LDValue? {
    guard let first = reference.components.first else { return nil }
    guard let part = parts.first, !isMulti else {
      return reference.components.count == 1 && first.reads("kind") ? .string(kind) : nil
    }
    var value = part.value(of: first)
    for name in reference.components.dropFirst() { value = value?.object?[name] }
    return value
  }

  /// The context as a JSON value (3.4).
  /// - Parameter namingPrivate: false leaves out the names of private attributes.
  private static func value(of parts: [SingleContext], namingPrivate: Bool = true) -> LDValue {
    if let only = parts.first, parts.count == 1 { return .object(only.members(namingPrivate: namingPrivate)) }
    var members = parts.map {
      LDObject.Member(name: $0.kind, value: .object($0.members(withKind: false, namingPrivate: namingPrivate)))
    }
    members.append(LDObject.Member(name: "kind", value: .string(ContextKind.multi)))
    return .object(LDObject(members))
  }

  /// The raw key of a single user, else kinds with escaped keys.
  private static func fullyQualifiedKey(_ parts: [SingleContext]) -> String {
    if let only = parts.first, parts.count == 1, only.kind.reads("user") { return only.key ?? "" }
    var text: [UInt8] = []
    for part in parts {
      if !text.isEmpty { text.append(UInt8(ascii: ":")) }
      text += part.kind.utf8
      text.append(UInt8(ascii: ":"))
      for byte in (part.key ?? "").utf8 {
        switch byte {
        case UInt8(ascii: "%"): text += "%25".utf8
        case UInt8(ascii: ":"): text += "%3A".utf8
        default: text.append(byte)
        }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension LDContext: Equatable {
  /// Everything counts, private attributes too: a repeated identify has an equal context (5.5).
  public static func == (left: LDContext, right: LDContext) -> Bool { left === right || left.parts == right.parts }
}
