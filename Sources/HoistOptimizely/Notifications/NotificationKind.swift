/// What listeners can be told of (`OPT-69`); the numbers of `hoist_optimizely_notification_kind`.
public enum NotificationKind: Int32, Sendable, CaseIterable {
  case activate = 1
  case track, datafileChange, decision, logEvent
}

/// Some of the kinds.
public struct NotificationKinds: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public init(_ kind: NotificationKind) { rawValue = 1 << UInt32(kind.rawValue) }

  public static var activate: NotificationKinds { NotificationKinds(.activate) }
  public static var track: NotificationKinds { NotificationKinds(.track) }
  public static var decision: NotificationKinds { NotificationKinds(.decision) }
}

/// A piece of news with its payload.
public struct OptimizelyNews: Sendable, Equatable {
  public var kind: NotificationKind
  /// JSON, as the header tells for each kind.
  public var json: [UInt8]

  public init(_ kind: NotificationKind, _ json: [UInt8]) {
    self.kind = kind
    self.json = json
  }
}
