internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A context of the core as clauses read it, without memory of its own: one kind, or parts of several, each an attribute
/// that holds JSON (see `LDContext.read`).
struct ServerContext {
  private let frozen: FrozenContext
  /// Of the only part; without address for a context of several.
  private let kind: ByteView
  private let kindHash: UInt64
  private let isUser: Bool
  let isMulti: Bool

  /// - Returns: nil for what the service calls no context.
  init?(_ base: UnsafeRawPointer?, _ texts: inout TextArena) {
    guard let base else { return nil }
    frozen = FrozenContext(base)
    let kind = frozen.find("kind")
    let name = kind.map { $0.pointee.kind == .string ? $0.pointee.textBytes : .noBytes }
    isMulti = name?.reads("multi") ?? false
    guard isMulti else {
      self.kind = name ?? ContextKind.userBytes
      kindHash = name == nil ? ContextKind.userHash : kind?.pointee.textHash ?? 0
      isUser = self.kind.reads("user")
      let isOfOld = kind?.pointee.kind == .null && frozen.targetingKey?.isEmpty ?? false
      guard isOfOld || isValidSingle(hasKind: name != nil) else { return nil }
      return
    }
    (self.kind, kindHash, isUser) = (.noBytes, 0, false)
    guard frozen.attributeCount > 1, isValidMulti(&texts) else { return nil }
  }

  private func isValidSingle(hasKind: Bool) -> Bool {
    guard !hasKind || ContextKind.isValid(kind), let key = frozen.targetingKey, !key.isEmpty else { return false }
    if let name = frozen.find("name")?.pointee.kind, name != .string, name != .date, name != .null { return false }
    if let anonymous = frozen.find("anonymous")?.pointee.kind, anonymous != .bool { return false }
    return frozen.find("key") == nil
  }

  private func isValidMulti(_ texts: inout TextArena) -> Bool {
    for index in 0..<frozen.attributeCount {
      let attribute = frozen.attribute(at: index).pointee
      if attribute.nameBytes.reads("kind") { continue }
      guard ContextKind.isValid(attribute.nameBytes) else { return false }
      let part = ServerContextPart(kind: attribute.nameBytes, json: JSONPiece(attribute.textBytes))
      guard part.isValid(&texts) else { return false }
    }
    return true
  }

  @inline(__always)
  func part(_ kind: KindRecord, _ base: UnsafeRawPointer) -> ServerContextPart? {
    if isMulti { return partOfSeveral(kind, base) }
    return isOnly(kind, base) ? ServerContextPart(kind: self.kind, frozen: frozen) : nil
  }

  /// Whether there is one part, of this kind.
  @inline(__always)
  func isOnly(_ kind: KindRecord, _ base: UnsafeRawPointer) -> Bool {
    kind.isUser ? isUser : kindHash == kind.name.hash && self.kind.hasSameBytes(as: kind.name.text.bytes(base))
  }

  /// An attribute of the only part.
  @inline(__always)
  func attribute(_ name: NameRecord, _ base: UnsafeRawPointer) -> UnsafePointer<FrozenAttribute>? {
    frozen.find(name.text.bytes(base), hash: name.hash)
  }

  @inline(never)
  private func partOfSeveral(_ kind: KindRecord, _ base: UnsafeRawPointer) -> ServerContextPart? {
    let attribute =
      kind.isUser
      ? frozen.find(ContextKind.userBytes, hash: ContextKind.userHash)
      : frozen.find(kind.name.text.bytes(base), hash: kind.name.hash)
    return attribute.map { ServerContextPart(kind: $0.pointee.nameBytes, json: JSONPiece($0.pointee.textBytes)) }
  }

  /// Whether a condition holds for the kind of a part.
  func anyKind(_ holds: (ByteView) -> Bool) -> Bool {
    guard isMulti else { return holds(kind) }
    for index in 0..<frozen.attributeCount {
      let name = frozen.attribute(at: index).pointee.nameBytes
      if !name.reads("kind"), holds(name) { return true }
    }
    return false
  }
}

/// What there is of one kind.
struct ServerContextPart {
  private let kind: ByteView
  /// Nil for a part of several.
  private let frozen: FrozenContext?
  private let json: JSONPiece?

  fileprivate init(kind: ByteView, frozen: FrozenContext) {
    self.kind = kind
    self.frozen = frozen
    json = nil
  }

  fileprivate init(kind: ByteView, json: JSONPiece) {
    self.kind = kind
    frozen = nil
    self.json = json
  }

  fileprivate func isValid(_ texts: inout TextArena) -> Bool {
    guard json?.kind == .object, let key = member("key", &texts)?.string(&texts), !key.isEmpty else { return false }
    if let name = member("name", &texts)?.kind, name != .string, name != .null { return false }
    if let anonymous = member("anonymous", &texts)?.kind, anonymous != .bool { return false }
    guard let own = member("kind", &texts) else { return true }
    return own.string(&texts)?.hasSameBytes(as: kind) ?? false
  }

  private func member(_ name: StaticString, _ texts: inout TextArena) -> JSONPiece? {
    json?.member(ByteView(start: name.utf8Start, count: name.utf8CodeUnitCount), &texts)
  }

  /// The key and its hash.
  @inline(__always)
  func key(_ texts: inout TextArena) -> (text: ByteView, hash: UInt64) {
    if let frozen { return (frozen.targetingKey ?? .noBytes, frozen.head.pointee.keyHash) }
    let key = member("key", &texts)?.string(&texts) ?? .noBytes
    return (key, Hash64.hash(key))
  }

  /// What a valid reference leads to; nil for nothing, null included.
  @inline(__always)
  func value(_ reference: UnsafePointer<ReferenceRecord>, _ base: UnsafeRawPointer, _ texts: inout TextArena) -> ContextValue? {
    let names = reference.pointee.names.records(base)
    guard let first = names.first else { return nil }
    switch reference.pointee.builtIn {
    case .kind: return ContextValue(string: kind)
    case .key:
      let key = key(&texts)
      return ContextValue(string: key.text, hash: key.hash)
    case .anonymous: return attribute(first, base, &texts) ?? ContextValue(truth: false)
    // Not a value: what events must not hold.
    case .meta: return nil
    case .none: break
    }
    if names.count > 1 { return nested(names, base, &texts) }
    return attribute(first, base, &texts)
  }

  private func attribute(_ name: NameRecord, _ base: UnsafeRawPointer, _ texts: inout TextArena) -> ContextValue? {
    let value: ContextValue? =
      if let frozen {
        frozen.find(name.text.bytes(base), hash: name.hash).map { ContextValue($0.pointee, &texts) }
      } else {
        json?.member(name.text.bytes(base), &texts).map { ContextValue($0, &texts) }
      }
    guard let value, value.kind != .null else { return nil }
    return value
  }

  @inline(never)
  private func nested(
    _ names: UnsafeBufferPointer<NameRecord>, _ base: UnsafeRawPointer, _ texts: inout TextArena
  ) -> ContextValue? {
    guard let outer = attribute(names[0], base, &texts), outer.kind == .object else { return nil }
    var piece = JSONPiece(outer.text)
    for name in names.dropFirst() {
      guard let inner = piece.member(name.text.bytes(base), &texts) else { return nil }
      piece = inner
    }
    let value = ContextValue(piece, &texts)
    return value.kind == .null ? nil : value
  }
}

/// A value as clauses compare it; its text is borrowed.
struct ContextValue {
  enum Kind: UInt8 { case null, bool, number, string, array, object }
  let kind: Kind
  var number = 0.0
  /// A string's bytes, or the JSON of an array or an object.
  var text = ByteView.noBytes
  /// Of a string.
  var hash: UInt64 = 0

  init(string text: ByteView, hash: UInt64? = nil) {
    kind = .string
    self.text = text
    self.hash = hash ?? Hash64.hash(text)
  }

  init(truth: Bool) { self.init(.bool, number: truth ? 1 : 0) }
  init(number: Double) { self.init(.number, number: number) }

  private init(_ kind: Kind, number: Double = 0, text: ByteView = .noBytes) {
    (self.kind, self.number, self.text) = (kind, number, text)
  }

  @inline(__always)
  init(_ attribute: FrozenAttribute, _ texts: inout TextArena) {
    switch attribute.kind {
    case .null: self.init(.null)
    case .bool: self.init(truth: attribute.integer != 0)
    case .int, .double: self.init(number: attribute.number)
    case .string, .date: self.init(string: attribute.textBytes, hash: attribute.textHash)
    case .strings, .json: self.init(JSONPiece(attribute.textBytes), &texts)
    }
  }

  init(_ piece: JSONPiece, _ texts: inout TextArena) {
    switch piece.kind {
    case .null: self.init(.null)
    case .bool: self.init(truth: piece.isTrue)
    case .int, .double: self.init(number: piece.number ?? .nan)
    case .string: self.init(string: piece.string(&texts) ?? .noBytes)
    case .array: self.init(.array, text: piece.text)
    case .object: self.init(.object, text: piece.text)
    }
  }
}

extension FrozenContext {
  /// - Parameter name: a literal.
  @inline(__always)
  fileprivate func find(_ name: StaticString) -> UnsafePointer<FrozenAttribute>? {
    find(ByteView(start: name.utf8Start, count: name.utf8CodeUnitCount), hash: Hash64.hash(literal: name))
  }
}

extension ContextKind {
  private static let userText: StaticString = "user"
  static var userBytes: ByteView { ByteView(start: userText.utf8Start, count: userText.utf8CodeUnitCount) }
  @inline(__always)
  static var userHash: UInt64 { Hash64.hash(literal: "user") }
}
