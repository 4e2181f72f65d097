internal import HoistBase
internal import HoistCore

/// What index events and summaries know a context by (server 7.2, 7.4).
struct ContextSight: BitwiseCopyable {
  /// Which of the first kinds that a client has seen are in the context, one bit each.
  typealias Kinds = UInt16

  /// Hash of the fully-qualified key, of what is left of the context in an index event; 0 where that is nothing (7.7).
  var key: UInt64
  var kinds: Kinds
}

/// The names of kinds, by the order in which a client has met them. Not thread-safe.
struct KindNames {
  /// Kinds with a bit of their own.
  static let most = 12
  /// Set where a context has a kind beyond those.
  static let other: ContextSight.Kinds = 1 << 12
  private static let mask = other - 1

  private var hashes: [UInt64] = []
  /// JSON strings.
  private(set) var names: [[UInt8]] = []

  mutating func bit(of kind: ByteView) -> ContextSight.Kinds {
    let hash = Hash64.hash(kind)
    if let known = hashes.firstIndex(of: hash) { return 1 << ContextSight.Kinds(known) }
    guard hashes.count < Self.most else { return Self.other }
    hashes.append(hash)
    names.append(EventContext.quoted(String(decoding: kind, as: UTF8.self)))
    return 1 << ContextSight.Kinds(hashes.count - 1)
  }

  /// - Returns: nil where not all of them have a name here.
  func names(of kinds: ContextSight.Kinds) -> [[UInt8]]? {
    kinds & Self.other != 0 ? nil : names.indices.filter { kinds & 1 << ContextSight.Kinds($0) != 0 }.map { names[$0] }
  }
}

extension FrozenContext {
  private static let user: StaticString = "user"
  private static let multi: StaticString = "multi"
  private static let anonymous: StaticString = "anonymous"
  private static let kind: StaticString = "kind"
  private static let kindHash = kind.withBytes { Hash64.hash($0) }
  private static let anonymousHash = anonymous.withBytes { Hash64.hash($0) }

  /// The kind; nil for several contexts in one.
  var singleKind: ByteView? {
    let kind = Self.kind.withBytes { find($0, hash: Self.kindHash) }
    guard let kind, kind.pointee.kind == .string else { return Self.user.withBytes { $0 } }
    return kind.pointee.textBytes.reads(Self.multi) ? nil : kind.pointee.textBytes
  }

  var isAnonymous: Bool {
    Self.anonymous.withBytes { find($0, hash: Self.anonymousHash) }.map { $0.pointee.kind == .bool && $0.pointee.integer != 0 }
      ?? false
  }

  /// Hash of the fully-qualified key of a context of this kind.
  func qualifiedHash(_ kind: ByteView) -> UInt64 {
    guard !kind.reads(Self.user), let key = targetingKey else { return head.pointee.keyHash }
    return withUnsafeTemporaryAllocation(byteCount: kind.count + 1 + key.count * 3, alignment: 1) { room in
      var count = 0
      func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
          room[count] = byte
          count += 1
        }
      }
      add(kind)
      add(CollectionOfOne(UInt8(ascii: ":")))
      for byte in key {
        switch byte {
        case UInt8(ascii: "%"): add("%25".utf8)
        case UInt8(ascii: ":"): add("%3A".utf8)
        default: add(CollectionOfOne(byte))
        }
      }
      return Hash64.hash(ByteView(rebasing: room[..<count]))
    }
  }
}

extension LDContext {
  /// What is left without anonymous parts (server 7.7); nil for nothing.
  var withoutAnonymousParts: LDContext? {
    guard hasAnonymousPart else { return self }
    let rest = parts.filter { !$0.isAnonymous }
    return rest.isEmpty ? nil : try? LDContext(rest)
  }
}
