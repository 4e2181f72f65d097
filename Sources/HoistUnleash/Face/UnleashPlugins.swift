internal import HoistCore

/// Names of Unleash's own kinds of plug-ins in `Plugins.vendor`.
public enum UnleashPlugins {
  /// Followed by the strategy's name; an `UnleashStrategy`.
  public static let strategyPrefix = "unleash.strategy."
  /// An `UnleashPoller`.
  public static let poller = "unleash.poller"
  /// An `UnleashStorage`.
  public static let storage = "unleash.storage"
}

/// Keeps the toggles of a frontend client in place of Hoist's memory (row UNL-60).
public protocol UnleashStorage: AnyObject, Sendable {
  /// Replaces all toggles. On a lane of the client's.
  func set(_ toggles: [UnleashToggle])
  /// Answers every read; on evaluating threads, on several at once.
  func value(_ name: String) -> UnleashToggle?
  func clear()
}
