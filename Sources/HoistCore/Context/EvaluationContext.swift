public import CShims
internal import HoistBase
internal import Glibc

/// The subject of evaluations as the host builds it: a targeting key and named attributes.
///
/// Thread-safe. Evaluators read a frozen block, made at the first use after a change; a block that a change
/// replaces is freed once no evaluation can be reading it.
public final class EvaluationContext: @unchecked Sendable {
  /// Longest attribute name, in bytes.
  public static let maximumNameBytes = 1024
  /// Largest value, in bytes of its text.
  public static let maximumValueBytes = 1 << 20
  public static let maximumAttributes = 10_000

  /// Why an attribute was not taken.
  public enum Refusal: String, Error, Sendable, Equatable, CustomStringConvertible {
    case invalidUTF8, nameTooLong, valueTooLarge, tooManyAttributes, notFinite

    public var description: String { rawValue }
  }

  private let lock = InlineLock()
  private var key: [UInt8]?
  private var attributes: [Attribute] = []
  /// Of the attributes' names, in the same order.
  private var hashes: [UInt64] = []
  /// What C handles point at, and where the frozen block is found without touching this object.
  public let subject: UnsafeMutablePointer<shim_subject>

  public init(targetingKey: [UInt8]? = nil, attributes: [Attribute] = []) {
    key = targetingKey
    subject = .allocate(capacity: 1)
    subject.initialize(to: shim_subject(magic: ContextMagic.value, frozen: nil, object: nil))
    for attribute in attributes { _ = try? set(attribute.name, attribute.value) }
    subject.pointee.object = Unmanaged.passUnretained(self).toOpaque()
  }

  public convenience init(targetingKey: String) { self.init(targetingKey: Array(targetingKey.utf8)) }

  /// A context of its own with what a frozen one holds.
  public convenience init(copying frozen: FrozenContext) {
    self.init(
      targetingKey: frozen.targetingKey.map { Array($0) },
      attributes: (0..<frozen.attributeCount).map { index in
        let attribute = frozen.attribute(at: index).pointee
        return Attribute(name: Array(attribute.nameBytes), value: AttributeValue(attribute))
      })
    // The C side may read it at once.
    _ = freeze()
  }

  deinit {
    if let block = shim_load_pointer(&subject.pointee.frozen) { FrozenContext(block).release() }
    subject.pointee.magic = 0
    subject.deallocate()
  }

  public func copy() -> EvaluationContext {
    let (key, attributes) = lock.withLock { (self.key, self.attributes) }
    return EvaluationContext(targetingKey: key, attributes: attributes)
  }

  /// Key and attributes as they are now, in the order of setting.
  public var content: (key: [UInt8]?, attributes: [Attribute]) { lock.withLock { (key, attributes) } }

  public func setTargetingKey(_ key: [UInt8]?) {
    lock.withLock {
      self.key = key
      thaw()
    }
  }

  /// Refuses what no context takes.
  public static func check(_ name: [UInt8], _ value: AttributeValue) throws(Refusal) {
    if name.count > maximumNameBytes { throw .nameTooLong }
    if !UTF8Text.isValid(name) { throw .invalidUTF8 }
    try check(value)
  }

  public func set(_ name: [UInt8], _ value: AttributeValue) throws(Refusal) {
    try Self.check(name, value)
    try lock.withLock { () throws(Refusal) in
      let hash = Hash64.hash(name)
      if let at = index(of: name, hash) {
        attributes[at].value = value
      } else {
        if attributes.count >= Self.maximumAttributes { throw .tooManyAttributes }
        hashes.append(hash)
        attributes.append(Attribute(name: name, value: value))
      }
      thaw()
    }
  }

  /// - Returns: false when there is no attribute of that name.
  public func remove(_ name: [UInt8]) -> Bool {
    lock.withLock {
      guard let at = index(of: name, Hash64.hash(name)) else { return false }
      attributes.remove(at: at)
      hashes.remove(at: at)
      thaw()
      return true
    }
  }

  /// A scan of the hashes: contexts are small, and a table for each would cost more than it saves.
  private func index(of name: [UInt8], _ hash: UInt64) -> Int? {
    hashes.withUnsafeBufferPointer { hashes in
      guard let first = hashes.baseAddress else { return nil }
      var at = 0
      while at < hashes.count {
        if first[at] == hash, attributes[at].name == name { return at }
        at += 1
      }
      return nil
    }
  }

  /// The frozen block, made now if need be; valid inside the reading section it was asked for in.
  public func freeze() -> UnsafeRawPointer? {
    lock.withLock {
      if let block = shim_load_pointer(&subject.pointee.frozen) { return UnsafeRawPointer(block) }
      guard let made = FrozenContext.build(key: key, attributes: attributes) else { return nil }
      shim_store_pointer(&subject.pointee.frozen, UnsafeMutableRawPointer(mutating: made.base))
      return made.base
    }
  }

  /// A hold on the context as it is now.
  public func reference() -> ContextReference? {
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return freeze().map { ContextReference(sharing: FrozenContext($0)) }
  }

  /// Withdraws the frozen block after a change.
  private func thaw() {
    guard let old = shim_exchange_pointer(&subject.pointee.frozen, nil) else { return }
    let block = FrozenContext(UnsafeRawPointer(old))
    Reclaimer.shared.retire { block.release() }
    Reclaimer.shared.collect()
  }

  private static func check(_ value: AttributeValue) throws(Refusal) {
    switch value {
    case .double(let number): if !number.isFinite { throw .notFinite }
    case .string(let text), .json(let text):
      if text.count > maximumValueBytes { throw .valueTooLarge }
      if !UTF8Text.isValid(text) { throw .invalidUTF8 }
    case .strings(let list):
      if list.reduce(0, { $0 + $1.count }) > maximumValueBytes { throw .valueTooLarge }
      if !list.allSatisfy({ UTF8Text.isValid($0) }) { throw .invalidUTF8 }
    case .null, .bool, .int, .date: break
    }
  }
}

/// Tells a context handle from a stray pointer.
public enum ContextMagic {
  public static let value: UInt64 = 0x486F_6973_7443_7478  // "HoistCtx"
}
