/// A value that one thread sets and others read. Not for hot paths, and its lock is not recursive: `body` is short and
/// calls nothing that could come back.
public final class LockedValue<Value: Sendable>: @unchecked Sendable {
  private let lock = InlineLock()
  private var value: Value

  public init(_ value: Value) { self.value = value }

  public func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
