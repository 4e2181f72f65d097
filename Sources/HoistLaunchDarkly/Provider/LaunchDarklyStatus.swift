public import HoistCore

/// Statuses of `hoist/launchdarkly.h`.
extension Status {
  public static var launchDarklyUnauthorized: Status { Status(rawValue: 1210) }
  public static var launchDarklyStreamShutDown: Status { Status(rawValue: 1211) }
  public static var launchDarklyShed: Status { Status(rawValue: 1212) }
  public static var launchDarklyAlreadyStarted: Status { Status(rawValue: 1213) }
}
