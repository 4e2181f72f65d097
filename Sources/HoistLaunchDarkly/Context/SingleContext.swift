/// A context of one kind, or one part of several.
public struct SingleContext: Sendable {
  public let kind: String
  /// Nil until a client gives it a key that it keeps for the kind; see `GeneratedKeys`.
  public let key: String?
  public let name: String?
  public let isAnonymous: Bool
  /// Beside kind, key, name and anonymous; none is null.
  public let attributes: LDObject
  /// In the order of their texts, each once.
  public let privateAttributes: [AttributeReference]

  init(
    kind: String, key: String?, name: String? = nil, isAnonymous: Bool = false, attributes: LDObject = LDObject(),
    privateAttributes: [AttributeReference] = []
  ) {
    self.kind = kind
    self.key = key
    self.name = name
    self.isAnonymous = isAnonymous
    self.attributes = attributes
    var distinct: [AttributeReference] = []
    for reference in privateAttributes.sorted(by: { $0.raw.byteOrder(against: $1.raw) == .less })
    where !(distinct.last?.raw.hasSameBytes(as: reference.raw) ?? false) {
      distinct.append(reference)
    }
    self.privateAttributes = distinct
  }

  /// The same with a key that was made for it, and so anonymous (3.5 "Generated keys").
  func withGeneratedKey(_ key: String) -> SingleContext {
    SingleContext(
      kind: kind, key: key, name: name, isAnonymous: true, attributes: attributes, privateAttributes: privateAttributes)
  }

  /// Kind, key and attributes; nil and false ones are left out.
  func visibleMembers(withKind: Bool) -> [LDObject.Member] {
    var members = Array(attributes)
    if withKind { members.append(LDObject.Member(name: "kind", value: .string(kind))) }
    if let key { members.append(LDObject.Member(name: "key", value: .string(key))) }
    if let name { members.append(LDObject.Member(name: "name", value: .string(name))) }
    if isAnonymous { members.append(LDObject.Member(name: "anonymous", value: .bool(true))) }
    return members
  }

  /// The same, with the references of private attributes.
  func members(withKind: Bool = true, namingPrivate: Bool) -> LDObject {
    var members = visibleMembers(withKind: withKind)
    if !privateAttributes.isEmpty {
      let references = LDValue.array(privateAttributes.map { .string($0.raw) })
      let meta = namingPrivate ? [LDObject.Member(name: "privateAttributes", value: references)] : []
      members.append(LDObject.Member(name: "_meta", value: .object(LDObject(meta))))
    }
    return LDObject(members)
  }

  /// The value of an attribute, built-in or not; nil when there is none.
  func value(of attribute: String) -> LDValue? {
    if attribute.reads("kind") { return .string(kind) }
    if attribute.reads("key") { return key.map { .string($0) } }
    if attribute.reads("name") { return name.map { .string($0) } }
    if attribute.reads("anonymous") { return .bool(isAnonymous) }
    return attributes[attribute]
  }
}

extension SingleContext: Equatable {
  /// Everything counts; of private attributes which they are, not how they are spelled.
  public static func == (left: SingleContext, right: SingleContext) -> Bool {
    left.kind.hasSameBytes(as: right.kind) && areEqual(left.key, right.key) && areEqual(left.name, right.name)
      && left.isAnonymous == right.isAnonymous
      && LDValue.object(left.attributes) == LDValue.object(right.attributes)
      && includes(left.privateAttributes, right.privateAttributes)
      && includes(right.privateAttributes, left.privateAttributes)
  }

  private static func areEqual(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.hasSameBytes(as: right)
    default: false
    }
  }

  private static func includes(_ all: [AttributeReference], _ some: [AttributeReference]) -> Bool {
    some.allSatisfy { all.contains($0) }
  }
}
