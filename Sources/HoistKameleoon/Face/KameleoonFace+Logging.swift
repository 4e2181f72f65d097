public import HoistCore

/// `KameleoonLogger.logLevel` (KAM-71): each level has those before it.
extension KameleoonFace {
  /// nil for none.
  public var logLevel: LogLevel? {
    get { LogLevel.allCases.last { client.logLevels.contains($0) } }
    nonmutating set { client.logLevels = .upTo(newValue) }
  }
}
