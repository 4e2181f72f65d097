extension Scheduler {
  public var standsInForItsThread: Bool { isCurrent }

  /// Begins what runs on the scheduler's thread only, because its state has no lock. Debug builds stop on another thread;
  /// release builds do nothing.
  @inlinable @inline(__always)
  public func assertCurrent(_ function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
    assert(standsInForItsThread, "\(function) is for the scheduler's thread", file: file, line: line)
  }
}
