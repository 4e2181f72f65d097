/// How often a document that changes with each message is stored: a burst once; large ones less often, so that a certain
/// amount is written per millisecond in the long run.
public enum SavePace {
  private static let shortestMilliseconds: Int64 = 100
  private static let longestMilliseconds: Int64 = 10_000
  private static let bytesPerMillisecond = 1024

  /// - Parameter bytes: of the document.
  public static func pauseMilliseconds(bytes: Int) -> Int64 {
    min(longestMilliseconds, max(shortestMilliseconds, Int64(bytes / bytesPerMillisecond)))
  }
}
