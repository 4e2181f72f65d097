internal import HoistCore

/// A host's store of segments that are too large for the rules (protocols/launchdarkly-server.md 4.8; LDS-28). It may block.
public protocol BigSegmentStore: AnyObject, Sendable {
  /// When it was last brought up to date, in milliseconds since 1970; nil: never. On a lane of its own.
  func lastUpToDate() -> Result<Int64?, StoreFailure>
  /// The memberships of a context, by `SEGMENT.gGENERATION`. On evaluating threads, several at once.
  /// - Parameter hash: see `BigSegmentHash`.
  func memberships(of hash: String) -> Result<[String: Bool], StoreFailure>
}

/// A store of the host's has failed; it is not changed.
public struct StoreFailure: Error, Sendable {
  /// One line for people, without secrets.
  public let message: String
  public init(_ message: String) { self.message = message }
}

/// The names of stores among a configuration's plug-ins.
public enum LaunchDarklyStores {
  public static let bigSegments = "launchdarkly.big_segments"
  public static let rules = "launchdarkly.store"
}

extension Plugins {
  var bigSegmentStore: (any BigSegmentStore)? { vendor[LaunchDarklyStores.bigSegments] as? any BigSegmentStore }
  var rulesStore: (any RulesStore)? { vendor[LaunchDarklyStores.rules] as? any RulesStore }
}
