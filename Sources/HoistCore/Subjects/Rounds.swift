internal import HoistBase

/// Work that is asked for again while it is under way, and is done once more after it, however often that was.
public struct Rounds: Sendable {
  private var isUnderWay = false
  private var isWantedAgain = false
  /// In which process: a child does not see the end of its parent's round.
  private var generation = ForkGeneration.current

  public init() {}

  /// - Returns: whether the work begins now.
  public mutating func begin() -> Bool {
    if generation != ForkGeneration.current { self = Rounds() }
    guard !isUnderWay else {
      isWantedAgain = true
      return false
    }
    isUnderWay = true
    return true
  }

  /// - Returns: whether it is to begin again.
  public mutating func end() -> Bool {
    defer { (isUnderWay, isWantedAgain) = (false, false) }
    return isWantedAgain
  }
}
