internal import HoistBase

/// A value that one thread sets and others read.
final class Shared<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var value: Value
  init(_ value: Value) { self.value = value }
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
