internal import HoistBase
internal import HoistCore

/// The value of a context field; its bytes belong to a context or to the snapshot.
struct FieldValue {
  var bytes: ByteView
  var hash: UInt64
  /// What it was read from; nil for targeting keys and static fields, which are texts.
  var attribute: UnsafePointer<FrozenAttribute>?

  /// Nil for values that Unleash has no use for: null, lists and JSON count as absent (C.11).
  @inline(__always)
  init?(_ attribute: UnsafePointer<FrozenAttribute>) {
    switch attribute.pointee.kind {
    case .null, .strings, .json: return nil
    case .bool, .int, .double, .string, .date: break
    }
    bytes = attribute.pointee.textBytes
    hash = attribute.pointee.textHash
    self.attribute = attribute
  }

  @inline(__always)
  init(_ bytes: ByteView, hash: UInt64) {
    self.bytes = bytes
    self.hash = hash
    attribute = nil
  }
}

extension Evaluator {
  /// The value of a field: of the call's context, else of the client's, else the client's static one. An
  /// attribute that is there but null hides those behind it.
  @inline(__always)
  func find(_ field: UnsafePointer<FieldRecord>) -> FieldValue? {
    if let context {
      let frozen = FrozenContext(context)
      if let attribute = frozen.find(field.pointee.name.bytes(base), hash: field.pointee.nameHash) {
        return FieldValue(attribute)
      }
      if field.pointee.role == .userID, let key = frozen.targetingKey {
        return FieldValue(key, hash: frozen.head.pointee.keyHash)
      }
    }
    return findBeyond(field)
  }

  @inline(never)
  private func findBeyond(_ field: UnsafePointer<FieldRecord>) -> FieldValue? {
    if let inherited {
      let frozen = FrozenContext(inherited)
      if let attribute = frozen.find(field.pointee.name.bytes(base), hash: field.pointee.nameHash) {
        return FieldValue(attribute)
      }
      if field.pointee.role == .userID, let key = frozen.targetingKey {
        return FieldValue(key, hash: frozen.head.pointee.keyHash)
      }
    }
    if field.pointee.staticValue.isNone { return nil }
    return FieldValue(field.pointee.staticValue.bytes(base), hash: field.pointee.staticHash)
  }

  /// userId, else sessionId.
  @inline(__always)
  func findDefaultIdentity() -> FieldValue? {
    let root = root
    return find(base.at(root.pointee.userID)) ?? find(base.at(root.pointee.sessionID))
  }
}
