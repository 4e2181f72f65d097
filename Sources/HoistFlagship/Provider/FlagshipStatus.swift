public import HoistCore

/// Statuses of `hoist/flagship.h`.
extension Status {
  /// The SDK is not started, or has no bucketing file yet.
  public static var flagshipNotInitialized: Status { Status(rawValue: 1300) }
  /// Flagship has stopped everything (SDK_PANIC).
  public static var flagshipPanic: Status { Status(rawValue: 1301) }
  /// The visitor has not consented.
  public static var flagshipNoConsent: Status { Status(rawValue: 1302) }
  /// The flags could not be fetched (FETCH_ERROR).
  public static var flagshipFetchFailed: Status { Status(rawValue: 1303) }
  /// A context key or value is refused.
  public static var flagshipContextRefused: Status { Status(rawValue: 1304) }
  /// A hit lacks something or has a value that is refused.
  public static var flagshipHitInvalid: Status { Status(rawValue: 1305) }
  /// The flag's value is of another type than the default.
  public static var flagshipFlagType: Status { Status(rawValue: 1306) }
}

extension Status {
  /// Why something of a visitor is not sent, in log lines.
  var flagshipReason: StaticString {
    switch self {
    case .flagshipNotInitialized: "the SDK is not started"
    case .flagshipPanic: "the service has switched everything off"
    case .flagshipNoConsent: "the visitor has not consented"
    default: "it is refused"
    }
  }
}
