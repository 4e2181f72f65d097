public import HoistCore
internal import HoistBase
internal import HoistJSON

/// The core's contexts in the service's words: the targeting key is the key; the attributes "kind", "name", "anonymous"
/// and "_meta" are what JSON calls so; of kind "multi" every other attribute is one kind's object. A user of the old
/// form may have an empty key: its kind is null, which distinguishes it from a user without a key.
extension LDContext {
  /// Reads a context of the core, which the caller keeps alive. Without a targeting key, one is made by the client.
  public static func read(_ frozen: FrozenContext) throws(ContextFailure) -> LDContext {
    let attributes = (0..<frozen.attributeCount).map { frozen.attribute(at: $0).pointee }
    if let kind = attributes.first(where: { $0.nameBytes.reads("kind") }), kind.kind == .string, kind.textBytes.reads("multi") {
      return try multi(attributes)
    }
    let key = frozen.targetingKey.map { String(decoding: $0, as: UTF8.self) }
    var builder = LDContextBuilder(key: key)
    let isOfOld = key?.isEmpty ?? false && attributes.contains { $0.isNullKind }
    for attribute in attributes where !(isOfOld && attribute.isNullKind) { try builder.take(attribute) }
    return isOfOld ? try LDContext([builder.single()]) : try builder.build()
  }

  /// The same, with the context held meanwhile.
  public static func read(_ reference: ContextReference) throws(ContextFailure) -> LDContext {
    defer { withExtendedLifetime(reference) {} }
    return try read(reference.frozen)
  }

  private static func multi(_ attributes: [FrozenAttribute]) throws(ContextFailure) -> LDContext {
    var builder = LDMultiContextBuilder()
    for attribute in attributes where !attribute.nameBytes.reads("kind") {
      try builder.add([ContextReader.part(attribute.textBytes, kind: attribute.nameText)])
    }
    return try builder.build()
  }

  /// The context as one of the core; nil when that takes none of it.
  public var evaluationContext: EvaluationContext? {
    let context = EvaluationContext(targetingKey: key.map { Array($0.utf8) })
    if isOfOldWithoutKey { guard (try? context.set(Array("kind".utf8), .null)) != nil else { return nil } }
    for member in coreMembers {
      guard (try? context.set(Array(member.name.utf8), AttributeValue(member.value))) != nil else { return nil }
    }
    return context
  }

  /// A hold on the same.
  public var reference: ContextReference? { evaluationContext?.reference() }

  private var isOfOldWithoutKey: Bool { !isMulti && key?.isEmpty ?? false }

  /// The members beside the targeting key, without the kind of a user, which hosts leave out, too.
  private var coreMembers: [LDObject.Member] {
    guard let members = value.object else { return [] }
    return members.filter { member in
      isMulti || !member.name.reads("key") && !(member.name.reads("kind") && member.value.string?.reads("user") ?? false)
    }
  }
}

extension FrozenContext {
  private static let kind: StaticString = "kind"
  private static let kindHash = kind.withBytes { Hash64.hash($0) }
  /// What a user's kind, written down, adds to a fingerprint: the core sums up attributes.
  private static let userKind: UInt64 = {
    let (plain, written) = (EvaluationContext(targetingKey: ""), EvaluationContext(targetingKey: ""))
    guard (try? written.set(Array("kind".utf8), .string(Array("user".utf8)))) != nil, let plain = plain.reference(),
      let written = written.reference()
    else { return 0 }
    return written.frozen.fingerprint &- plain.frozen.fingerprint
  }()

  /// The same for a user whose kind is written down, and one whose kind is left out.
  var servedFingerprint: UInt64 {
    let written = Self.kind.withBytes { find($0, hash: Self.kindHash) }
    guard let written, written.pointee.kind == .string, written.pointee.textBytes.reads("user") else { return fingerprint }
    return fingerprint &- Self.userKind
  }
}

extension LDContextBuilder {
  fileprivate mutating func take(_ attribute: FrozenAttribute) throws(ContextFailure) {
    let name = attribute.nameText
    if name.reads("_meta") {
      guard let meta = try? JSONDocument(parsing: attribute.textBytes) else {
        throw .attribute(name, "must be an object")
      }
      try meta.withRoot { meta throws(ContextFailure) in try ContextReader.readMeta(meta, into: &self) }
    } else if name.reads("key") {
      throw .attribute(name, "cannot be set: the targeting key is the context's key")
    } else if name.reads("name"), attribute.kind == .null {
      return
    } else {
      try set(name, attribute.value(of: name))
    }
  }
}

extension FrozenAttribute {
  fileprivate var isNullKind: Bool { kind == .null && nameBytes.reads("kind") }

  fileprivate var nameText: String { String(decoding: nameBytes, as: UTF8.self) }

  fileprivate func value(of name: String) throws(ContextFailure) -> LDValue {
    switch kind {
    case .null: return .null
    case .bool: return .bool(integer != 0)
    case .int, .double: return .number(number)
    case .string, .date: return .string(String(decoding: textBytes, as: UTF8.self))
    case .strings, .json:
      do {
        return try LDValue(json: textBytes)
      } catch {
        throw .attribute(name, "cannot be read: \(error)")
      }
    }
  }
}

extension AttributeValue {
  fileprivate init(_ value: LDValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let number): self = Int64(exactly: number).map { .int($0) } ?? .double(number)
    case .string(let text): self = .string(Array(text.utf8))
    case .array, .object: self = .json(value.json)
    }
  }
}
