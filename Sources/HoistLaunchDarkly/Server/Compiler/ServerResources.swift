internal import HoistBase
internal import HoistCore

/// Names an item of the rule set: flags and segments have keys of their own.
struct ItemName: Hashable {
  enum Kind { case flag, segment }
  let kind: Kind
  let key: [UInt8]

  init(_ kind: Kind, _ key: some ByteSource) {
    self.kind = kind
    self.key = key.withBytes { Array($0) }
  }
}

/// What snapshots of rules refer to outside themselves; shared by those that continue one another. One that is laid out anew
/// has its own, so that the expressions of former rules go with them.
final class ServerResources: @unchecked Sendable {
  private let engine: (any RegexEngine)?
  /// Fixed before a snapshot is served.
  let bigSegments: (any BigSegments)?
  /// These change on the compiling thread only.
  private var expressions: [CompiledRegex] = []

  init(_ engine: (any RegexEngine)?, bigSegments: (any BigSegments)? = nil) {
    self.engine = engine
    self.bigSegments = bigSegments
  }

  /// For rules laid out anew.
  func renewed() -> ServerResources { ServerResources(engine, bigSegments: bigSegments) }

  deinit { for expression in expressions { expression.free(expression.code) } }

  /// - Returns: nil for a pattern outside the dialect, which matches nothing.
  func expression(_ pattern: ByteView) -> RegexReference? {
    guard case .success(let expression)? = engine?.compile(pattern: pattern.bindMemory(to: UInt8.self), caseInsensitive: false)
    else { return nil }
    expressions.append(expression)
    return RegexReference(expression)
  }

  /// The resources of a snapshot, borrowed.
  static func of(_ snapshot: Snapshot) -> ServerResources? {
    snapshot.head.pointee.resources?._withUnsafeGuaranteedRef { $0 as? ServerResources }
  }
}
