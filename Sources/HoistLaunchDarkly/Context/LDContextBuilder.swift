internal import HoistBase

/// Collects what makes a context of one kind.
public struct LDContextBuilder: Sendable {
  /// Checked when the context is built. An empty one is "user".
  public var kind: String
  /// Nil: a client makes one, keeps it for this kind, and the context is anonymous.
  public var key: String?
  public var name: String?
  public var isAnonymous = false
  private var attributes = LDObject()
  private var privateAttributes: [AttributeReference] = []

  public init(kind: String = "user", key: String? = nil) {
    self.kind = kind
    self.key = key
  }

  /// Sets an attribute, built-in or not; null removes one that is not (3.2 "Setting attributes by name").
  /// When it is refused, the old value stays.
  public mutating func set(_ attribute: String, _ value: LDValue) throws(ContextFailure) {
    if attribute.isEmpty { throw ContextFailure(.attributeRefused, "an attribute of the context has an empty name") }
    if attribute.reads("_meta") {
      throw .attribute(attribute, "cannot be set; private attributes are added one by one")
    }
    if attribute.reads("kind") {
      kind = try text(value, of: attribute)
    } else if attribute.reads("key") {
      key = try text(value, of: attribute)
    } else if attribute.reads("name") {
      name = try text(value, of: attribute)
    } else if attribute.reads("anonymous") {
      guard let flag = value.bool else { throw .attribute(attribute, "must be a boolean") }
      isAnonymous = flag
    } else {
      try setCustom(attribute, value)
    }
  }

  private func text(_ value: LDValue, of attribute: String) throws(ContextFailure) -> String {
    guard let text = value.string else { throw .attribute(attribute, "must be a string") }
    return text
  }

  private mutating func setCustom(_ attribute: String, _ value: LDValue) throws(ContextFailure) {
    guard !value.isNull else { return attributes.set(attribute, nil) }
    if attribute.utf8.count > Self.maximumNameBytes {
      throw ContextFailure(.limit, "an attribute of the context has a name of more than \(Self.maximumNameBytes) bytes")
    }
    if LDValueSize(value, maximumBytes: LDContext.maximumBytes, maximumDepth: LDContext.maximumAttributeDepth) == nil {
      throw ContextFailure(
        .limit,
        "the context's attribute \"\(attribute.prefix(80))\" takes more than \(LDContext.maximumBytes) bytes, or has more "
          + "than \(LDContext.maximumAttributeDepth) containers in one another")
    }
    attributes.set(attribute, value)
    if attributes.count > LDContext.maximumAttributes {
      attributes.set(attribute, nil)
      throw ContextFailure(.limit, "the context has more than \(LDContext.maximumAttributes) attributes")
    }
  }

  /// In bytes.
  static let maximumNameBytes = 1024

  /// Removes an attribute; a key that is removed is generated. The kind cannot be removed.
  /// - Returns: whether there was one.
  public mutating func remove(_ attribute: String) -> Bool {
    if attribute.reads("key") {
      defer { key = nil }
      return key != nil
    }
    if attribute.reads("name") {
      defer { name = nil }
      return name != nil
    }
    if attribute.reads("anonymous") {
      defer { isAnonymous = false }
      return isAnonymous
    }
    defer { attributes.set(attribute, nil) }
    return attributes[attribute] != nil
  }

  /// Names an attribute that events must not hold. A reference that is not valid is kept, and hides nothing.
  public mutating func addPrivate(_ reference: AttributeReference) throws(ContextFailure) {
    if privateAttributes.count >= LDContext.maximumAttributes {
      throw ContextFailure(.limit, "the context has more than \(LDContext.maximumAttributes) private attributes")
    }
    privateAttributes.append(reference)
  }

  /// - Returns: whether it was there, in whatever spelling.
  public mutating func removePrivate(_ reference: AttributeReference) -> Bool {
    let count = privateAttributes.count
    privateAttributes.removeAll { $0 == reference }
    return privateAttributes.count < count
  }

  public func build() throws(ContextFailure) -> LDContext {
    let part = try single()
    if key?.isEmpty ?? false {
      throw ContextFailure(.keyEmpty, "the context of kind \"\(part.kind)\" has an empty key")
    }
    return try LDContext([part])
  }

  /// The part, whatever its key.
  func single() throws(ContextFailure) -> SingleContext {
    let kind = kind.isEmpty ? ContextKind.user : kind
    try ContextKind.check(kind)
    return SingleContext(
      kind: kind, key: key, name: name, isAnonymous: isAnonymous || key == nil, attributes: attributes,
      privateAttributes: privateAttributes)
  }
}

/// Collects contexts of different kinds that make one.
public struct LDMultiContextBuilder: Sendable {
  private var parts: [SingleContext] = []

  public init() {}

  /// Adds a context, or all that are in it.
  public mutating func add(_ context: LDContext) throws(ContextFailure) { try add(context.parts) }

  mutating func add(_ more: [SingleContext]) throws(ContextFailure) {
    if parts.count + more.count > LDContext.maximumParts {
      throw ContextFailure(.limit, "the context has more than \(LDContext.maximumParts) kinds")
    }
    parts += more
  }

  /// One context alone is the result itself.
  public func build() throws(ContextFailure) -> LDContext {
    if parts.isEmpty { throw ContextFailure(.multiEmpty, "the multi-kind context has no context in it") }
    let sorted = parts.sorted { $0.kind.byteOrder(against: $1.kind) == .less }
    for (one, next) in zip(sorted, sorted.dropFirst()) where one.kind.hasSameBytes(as: next.kind) {
      throw ContextFailure(.kindsDuplicate, "the multi-kind context has several contexts of kind \"\(one.kind)\"")
    }
    return try LDContext(sorted)
  }
}

/// What a context can be a context of.
enum ContextKind {
  static let user = "user"
  /// The kind of several contexts in one.
  static let multi = "multi"

  /// The rules for a single context's kind (3.2).
  static func check(_ kind: String) throws(ContextFailure) {
    if kind.reads("multi") {
      throw ContextFailure(
        .multiBuilderRequired, "a context of kind \"multi\" is made of several contexts by a multi-context builder")
    }
    guard !kind.isEmpty else { throw ContextFailure(.kindInvalid, "the context's kind is empty") }
    guard !kind.reads("kind") else { throw ContextFailure(.kindInvalid, "a context's kind cannot be \"kind\"") }
    guard kind.utf8.allSatisfy(isAllowed) else {
      throw ContextFailure(
        .kindInvalid,
        "the context's kind \"\(kind.prefix(80))\" has other characters than letters, digits, \".\", \"_\" and \"-\"")
    }
  }

  /// The same for bytes, without a word on what is wrong.
  static func isValid(_ kind: ByteView) -> Bool {
    !kind.isEmpty && !kind.reads("multi") && !kind.reads("kind") && kind.allSatisfy(isAllowed)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: ASCII.isAlphanumeric(byte)
    }
  }
}
