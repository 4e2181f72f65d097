extension Array where Element == any ClientPart {
  /// In the order of their beginning.
  public func startAll() { for part in self { part.start() } }
  /// In the reverse order.
  public func stopAll() { for part in reversed() { part.stop() } }

  /// One after the other; `completion` runs once, with the gravest result.
  public func flushAll(_ completion: @escaping @Sendable (FlushResult) -> Void) { PartLife(self).flush(completion) }
}
