internal import HoistBase

/// What is known of contexts in segments that are too large for the rule set (4.8). Any thread; may wait for a store.
protocol BigSegments: AnyObject, Sendable {
  /// - Parameter key: of a context; asked for at most once in an evaluation.
  func answer(for key: ByteView) -> BigSegmentAnswer
  /// The same for what tells of an evaluation that has asked: that is not to ask again.
  func recall(_ key: ByteView) -> BigSegmentAnswer
}

extension BigSegments {
  func recall(_ key: ByteView) -> BigSegmentAnswer { answer(for: key) }
}

struct BigSegmentAnswer {
  /// Whether a context is in a segment, by `SEGMENT.gGENERATION`; nil where that cannot be known.
  var membership: [String: Bool]?
  var status: BigSegmentsStatus

  /// Where there is no store.
  static let notConfigured = BigSegmentAnswer(membership: nil, status: .notConfigured)
}

/// How far big segments can be relied on; the worse, the higher.
enum BigSegmentsStatus: UInt8, BitwiseCopyable, Comparable {
  case unasked = 0, healthy, stale, storeError, notConfigured

  /// Nil where none was asked for.
  var text: StaticString? {
    switch self {
    case .unasked: nil
    case .healthy: "HEALTHY"
    case .stale: "STALE"
    case .storeError: "STORE_ERROR"
    case .notConfigured: "NOT_CONFIGURED"
    }
  }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a store is asked by: a context's key itself does not leave the process.
enum BigSegmentHash {
  static func text(of key: ByteView) -> String { Base64.encode(SHA256.hash(key)) }
}
