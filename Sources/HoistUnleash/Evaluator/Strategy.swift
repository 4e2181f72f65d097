public import HoistBase
public import HoistCore

/// The host's own strategy, for flags whose strategies are not built in (`UNL-99`).
///
/// Called on evaluating threads, on several at once, for each use in a flag; must be quick.
public protocol UnleashStrategy: AnyObject, Sendable {
  func isEnabled(_ call: UnleashStrategyCall) -> Bool
}

/// What a custom strategy is asked with. Valid only during the call; so are all views it gives out.
public struct UnleashStrategyCall {
  let base: UnsafeRawPointer
  let parameters: Place<TextReference>
  /// How many parameters this use of the strategy has.
  public let parameterCount: Int
  public let context: FrozenContext?
  /// The client's own context, which supplies what `context` lacks; nil where it is the same one.
  public let inherited: FrozenContext?

  /// A parameter's name and value, each followed by a NUL. In the order of the document; nil beyond the last.
  public func parameter(at index: Int) -> (name: ByteView, value: ByteView)? {
    guard index >= 0, index < parameterCount else { return nil }
    let texts = base.at(parameters)
    return (texts[index * 2].bytes(base), texts[index * 2 + 1].bytes(base))
  }

  public func parameter(_ name: some ByteSource) -> ByteView? {
    name.withBytes { wanted in
      for index in 0..<parameterCount {
        if let parameter = parameter(at: index), parameter.name.hasSameBytes(as: wanted) { return parameter.value }
      }
      return nil
    }
  }

  /// Everything that built-in strategies see, as one context of its own: the call's over the client's over the static
  /// fields. A present member hides the ones below it, even as null.
  public var merged: EvaluationContext {
    var attributes: [Attribute] = []
    var places: [[UInt8]: Int] = [:]
    func put(_ name: [UInt8], _ value: AttributeValue) {
      if let place = places[name] { return attributes[place].value = value }
      places[name] = attributes.count
      attributes.append(Attribute(name: name, value: value))
    }
    for field in staticFields { put(Array(field.name.bytes(base)), .string(Array(field.staticValue.bytes(base)))) }
    let userID = Array("userId".utf8)
    var key: [UInt8]?
    for frozen in [inherited, context] {
      guard let frozen else { continue }
      if let own = frozen.targetingKey {
        key = Array(own)
        if places[userID] != nil { put(userID, .string(Array(own))) }
      }
      let attributes = EvaluationContext(copying: frozen).content.attributes
      if frozen.targetingKey == nil, attributes.contains(where: { $0.name == userID }) { key = nil }
      for attribute in attributes { put(attribute.name, attribute.value) }
    }
    return EvaluationContext(targetingKey: key, attributes: attributes)
  }

  private var staticFields: UnsafeBufferPointer<FieldRecord> {
    let root: UnsafePointer<SnapshotRoot> = Snapshot(base).root()
    return UnsafeBufferPointer(start: base.at(root.pointee.staticFields), count: Int(root.pointee.staticFieldCount))
  }

  /// The text of a context field or property, as the built-in strategies see it; nil when it has none.
  public func field(_ name: some ByteSource) -> ByteView? {
    name.withBytes { name in
      var field = FieldRecord(nameHash: Hash64.hash(name), name: .none)
      field.role = FieldRole(name)
      for frozen in [context, inherited] {
        guard let frozen else { continue }
        if let attribute = frozen.find(name, hash: field.nameHash) { return FieldValue(attribute)?.bytes }
        if field.role == .userID, let key = frozen.targetingKey { return key }
      }
      return staticFields.first { $0.name.bytes(base).hasSameBytes(as: name) }.map { $0.staticValue.bytes(base) }
    }
  }
}

extension FieldRole {
  init(_ name: ByteView) {
    self =
      if "userId".withBytes({ $0.hasSameBytes(as: name) }) {
        .userID
      } else if "currentTime".withBytes({ $0.hasSameBytes(as: name) }) {
        .currentTime
      } else {
        .property
      }
  }
}

/// What a snapshot points to outside its block; lives as long as the block, and as copies of it with other flags in the
/// place of some. Only what no evaluation reads is added after the first is served.
final class SnapshotResources: @unchecked Sendable {
  /// What new rules may refer to; the compiler's.
  var segments: [Int32: FeatureCompiler.CompiledSegment] = [:]
  private var strategies: [any UnleashStrategy] = []
  private var expressions: [CompiledRegex] = []

  /// - Parameter strategies: all that may be asked for.
  init(_ strategies: [any UnleashStrategy]) { self.strategies = strategies }

  /// The resources of the snapshot at `base`, borrowed.
  static func of(_ base: UnsafeRawPointer) -> SnapshotResources? {
    Snapshot(base).head.pointee.resources?._withUnsafeGuaranteedRef { $0 as? SnapshotResources }
  }

  func strategy(at index: UInt32) -> (any UnleashStrategy)? {
    index < strategies.count ? strategies[Int(index)] : nil
  }

  /// - Returns: where `strategy(at:)` finds it.
  func index(of strategy: any UnleashStrategy) -> UInt32 {
    UInt32(strategies.firstIndex { $0 === strategy } ?? strategies.count)
  }

  func add(_ expression: CompiledRegex) { expressions.append(expression) }

  deinit {
    for expression in expressions { expression.free(expression.code) }
  }
}
