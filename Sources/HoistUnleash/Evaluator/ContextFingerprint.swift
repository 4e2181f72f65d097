internal import HoistBase
public import HoistCore

/// A fingerprint that shows whether flags fetched for one context hold for another, too (protocol B.2): its members as
/// hashes, without those that requests take from the options.
public struct ContextFingerprint: BitwiseCopyable, Sendable, Equatable {
  /// The sum over all members but the session.
  private var members: UInt64 = 0
  /// 0 without one.
  private var session: UInt64 = 0

  /// The members of a host's context: see `FrontendContext.members`.
  public init(_ context: FrozenContext) {
    var userID = context.targetingKey == nil ? 0 : context.head.pointee.keyHash
    for index in 0..<context.attributeCount {
      let attribute = context.attribute(at: index)
      guard let value = FieldValue(attribute) else { continue }
      switch Role(attribute.pointee.nameBytes) {
      case .user: userID = value.hash
      case .other(let isCounted): if isCounted { add(attribute.pointee.nameHash, value.hash) }
      case .session: session = Hash64.combine(value.hash, 1)
      }
    }
    if userID != 0 { add(1, userID) }
  }

  init(members: [String: String]) {
    for (name, value) in members {
      let hash = value.withBytes { Hash64.hash($0) }
      switch name.withBytes({ Role($0) }) {
      case .user: add(1, hash)
      case .other(let isCounted): if isCounted { add(name.withBytes { Hash64.hash($0) }, hash) }
      case .session: session = Hash64.combine(hash, 1)
      }
    }
  }

  /// Whether a fetch for the given context would carry this one: the session stays unless another one is named.
  func accepts(_ given: ContextFingerprint) -> Bool {
    members == given.members && (given.session == 0 || given.session == session)
  }

  /// The order of members does not matter.
  private mutating func add(_ name: UInt64, _ value: UInt64) { members = members &+ Hash64.combine(name, value) }

  private enum Role {
    case user, session
    /// Application and environment do not count.
    case other(isCounted: Bool)

    init(_ name: ByteView) {
      func isName(_ text: StaticString) -> Bool {
        name.hasSameBytes(as: ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount))
      }
      if isName("userId") {
        self = .user
      } else if isName("sessionId") {
        self = .session
      } else {
        self = .other(isCounted: !isName("appName") && !isName("environment"))
      }
    }
  }
}
