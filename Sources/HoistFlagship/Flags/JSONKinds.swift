internal import CShims
internal import HoistBase
internal import HoistJSON

/// Tells of JSON texts of what type they are, and remembers it: hosts name the same few defaults again and again. Any
/// thread; never waits.
final class JSONKinds: @unchecked Sendable {
  static let shared = JSONKinds()

  private static let count = 64
  private static let kindMask: UInt64 = 15
  /// Per slot, the hash of its last text; the low bits hold the type and that the slot is used.
  private let known = UnsafeMutablePointer<Int64>.allocate(capacity: count)

  init() { known.initialize(repeating: 0, count: Self.count) }

  deinit { known.deallocate() }

  /// - Returns: nil for what is no JSON.
  func kind(of text: ByteView) -> FlagKind? {
    let hash = Hash64.hash(text)
    let place = known + (Int(truncatingIfNeeded: hash &>> 32) & (Self.count - 1))
    let found = UInt64(bitPattern: shim_load_i64(place))
    if (found ^ hash) & ~Self.kindMask == 0, found & 8 != 0 { return FlagKind(rawValue: UInt8(truncatingIfNeeded: found & 7)) }
    guard let kind = FlagKind(ofJSON: text) else { return nil }
    shim_store_i64(place, Int64(bitPattern: hash & ~Self.kindMask | 8 | UInt64(kind.rawValue)))
    return kind
  }
}

extension FlagKind {
  /// Of a JSON text; nil for what is none.
  init?(ofJSON text: ByteView) {
    guard let kind = try? JSONNode.parse(text, { $0.kind }) else { return nil }
    switch kind {
    case .null: self = .null
    case .bool: self = .bool
    case .int: self = .int
    case .double: self = .double
    case .string: self = .string
    case .array: self = .array
    case .object: self = .object
    }
  }
}
