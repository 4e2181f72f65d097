public import HoistBase

/// What a decide call may ask for; default options and those of the call add up (`OPT-09`, `OPT-62`).
public struct DecideOptions: OptionSet, BitwiseCopyable, Sendable, Hashable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static var disableDecisionEvent: DecideOptions { DecideOptions(rawValue: 1) }
  public static var enabledFlagsOnly: DecideOptions { DecideOptions(rawValue: 2) }
  public static var ignoreUserProfileService: DecideOptions { DecideOptions(rawValue: 4) }
  public static var includeReasons: DecideOptions { DecideOptions(rawValue: 8) }
  public static var excludeVariables: DecideOptions { DecideOptions(rawValue: 16) }
  public static var ignoreCMABCache: DecideOptions { DecideOptions(rawValue: 32) }
  public static var resetCMABCache: DecideOptions { DecideOptions(rawValue: 64) }
  public static var invalidateUserCMABCache: DecideOptions { DecideOptions(rawValue: 128) }
  /// Not the vendor's: the caller can ask the prediction server, so rules that need it do not pass by (4.15).
  public static var predictions: DecideOptions { DecideOptions(rawValue: 1 << 16) }
  /// Not the vendor's: forced decisions do not count, as in the legacy calls (4.14).
  static var withoutForcedDecisions: DecideOptions { DecideOptions(rawValue: 1 << 17) }

  /// An option by the name that services use, e.g. `DISABLE_DECISION_EVENT`.
  public init?(name: some ByteSource) {
    guard let option = name.withBytes({ name in Self.names.first { name.reads($0.name) }?.option }) else { return nil }
    self = option
  }

  private static let names: [(name: StaticString, option: DecideOptions)] = [
    ("DISABLE_DECISION_EVENT", .disableDecisionEvent), ("ENABLED_FLAGS_ONLY", .enabledFlagsOnly),
    ("IGNORE_USER_PROFILE_SERVICE", .ignoreUserProfileService), ("INCLUDE_REASONS", .includeReasons),
    ("EXCLUDE_VARIABLES", .excludeVariables), ("IGNORE_CMAB_CACHE", .ignoreCMABCache),
    ("RESET_CMAB_CACHE", .resetCMABCache), ("INVALIDATE_USER_CMAB_CACHE", .invalidateUserCMABCache),
  ]
}
