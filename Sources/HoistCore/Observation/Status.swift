/// How a call ended; the numbers of `hoist_status`. Vendors add their own from 1000 on.
public struct Status: RawRepresentable, Sendable, Equatable, Error {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Whether what was given is recorded.
  public var isTaken: Bool { self == .ok || self == .unsaved }

  public static var ok: Status { Status(rawValue: 0) }
  public static var argument: Status { Status(rawValue: 1) }
  public static var state: Status { Status(rawValue: 2) }
  public static var timeout: Status { Status(rawValue: 3) }
  public static var configuration: Status { Status(rawValue: 4) }
  public static var parse: Status { Status(rawValue: 5) }
  public static var limit: Status { Status(rawValue: 6) }
  public static var io: Status { Status(rawValue: 7) }
  public static var network: Status { Status(rawValue: 8) }
  public static var notFound: Status { Status(rawValue: 9) }
  public static var unsupported: Status { Status(rawValue: 10) }
  public static var superseded: Status { Status(rawValue: 11) }
  public static var cancelled: Status { Status(rawValue: 12) }
  public static var plugin: Status { Status(rawValue: 13) }
  public static var unsaved: Status { Status(rawValue: 14) }
  public static var rejected: Status { Status(rawValue: 15) }
}
