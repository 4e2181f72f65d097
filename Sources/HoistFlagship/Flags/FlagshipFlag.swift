public import HoistBase
public import HoistCore

/// A flag of a visitor: a live view, which reads the visitor's flags at each call (FS-57). Any thread.
public final class FlagshipFlag: Sendable {
  /// nil for an empty flag, which never exists.
  private let visitor: FlagshipVisitor?
  public let key: CText
  private let hash: UInt64

  public init(_ key: ByteView, of visitor: FlagshipVisitor?) {
    self.visitor = visitor
    self.key = CText(key)
    hash = Hash64.hash(key)
  }

  private var flagKey: FlagKey { FlagKey(ByteView(key.buffer), hash: hash) }

  /// FS-80
  public var exists: Bool { visitor?.withFlag(flagKey) { _, flag, _ in flag != nil } ?? false }

  /// FS-75
  public var state: FlagState {
    visitor?.withFlag(flagKey) { state, flag, missing in
      if missing == .flagshipPanic || state.fetchStatus == .panic { return .panic }
      if flag == nil { return .notFound }
      return state.fetchStatus == .fetched ? .fetched : .fetchRequired
    } ?? .notFound
  }

  public func bool(fallback: Bool, exposes: Bool) -> (value: Bool, status: Status) {
    visitor?.bool(flagKey, fallback: fallback, exposes: exposes) ?? (fallback, .notFound)
  }

  public func int(fallback: Int64, exposes: Bool) -> (value: Int64, status: Status) {
    visitor?.int(flagKey, fallback: fallback, exposes: exposes) ?? (fallback, .notFound)
  }

  public func double(fallback: Double, exposes: Bool) -> (value: Double, status: Status) {
    visitor?.double(flagKey, fallback: fallback, exposes: exposes) ?? (fallback, .notFound)
  }

  public func string(fallback: ByteView?, exposes: Bool, _ take: FlagshipVisitor.TakeText) -> Status {
    visitor?.string(flagKey, fallback: fallback, exposes: exposes, take) ?? .notFound
  }

  public func json(fallback: ByteView?, exposes: Bool, _ take: FlagshipVisitor.TakeText) -> Status {
    visitor?.json(flagKey, fallback: fallback, exposes: exposes, take) ?? .notFound
  }

  /// FS-79
  public func expose() -> Status { visitor?.expose(flagKey) ?? .notFound }

  /// FS-72
  public var metadata: OwnedMetadata {
    visitor?.withFlag(flagKey) { state, flag, _ in flag.map { OwnedMetadata($0, in: state.flags) } } ?? OwnedMetadata()
  }

  /// With the value's JSON; nil for a flag that does not exist.
  var listing: (metadata: OwnedMetadata, json: [UInt8])? {
    visitor?.withFlag(flagKey) { state, flag, _ in flag.map { (OwnedMetadata($0, in: state.flags), Array($0.json)) } } ?? nil
  }

  /// The explanation of the visitor's flag, by the campaigns of its last fetch: see `ExplanationRecorder`.
  public var explanation: [UInt8] {
    let nothing = Array("[]".utf8)
    guard let state = visitor?.snapshotOfState, let snapshot = state.flags.snapshot else { return nothing }
    return withExtendedLifetime(state) {
      state.identity.visitorID.withBytes { visitor in
        ByteView(key.buffer).withBytes {
          CampaignFlags.explain($0, in: snapshot, context: state.context, visitor: visitor, history: state.history)
        }
      }
    }
  }
}

/// Metadata that outlive the visitor's flags. Immutable.
public final class OwnedMetadata: @unchecked Sendable {
  private let flags: VisitorFlags?
  /// Lent as long as this object.
  public let fields: FlagMetadata

  init(_ flag: FlagValue, in flags: VisitorFlags) {
    self.flags = flags
    fields = flag.metadata
  }

  /// Of a flag that does not exist.
  init() {
    flags = nil
    fields = FlagMetadata()
  }

  /// FS-74
  public var json: [UInt8] { withExtendedLifetime(flags) { fields.json } }
}

/// The state of a flag (FS-75); the numbers of `hoist/flagship/flags.h`.
public enum FlagState: Int32, Sendable, CaseIterable {
  case fetched = 0
  case fetchRequired
  case notFound
  case panic

  public var name: StaticString {
    switch self {
    case .fetched: "FETCHED"
    case .fetchRequired: "FETCH_REQUIRED"
    case .notFound: "NOT_FOUND"
    case .panic: "PANIC"
    }
  }
}

/// A flag's key with its hash. Lent for a call.
public struct FlagKey {
  let bytes: ByteView
  let hash: UInt64

  @inline(__always)
  public init(_ bytes: ByteView) {
    self.bytes = bytes
    hash = Hash64.hash(bytes)
  }

  @inline(__always)
  init(_ bytes: ByteView, hash: UInt64) {
    self.bytes = bytes
    self.hash = hash
  }
}
