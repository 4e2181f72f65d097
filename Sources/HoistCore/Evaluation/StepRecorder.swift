/// What watches an evaluation while it runs. Evaluators are generic over it, so that what is explained is what ran:
/// `NoSteps` leaves nothing behind in the machine code, an explanation writes every step down.
public protocol StepRecorder<Steps> {
  associatedtype Steps
  /// False: steps that no longer decide anything are left out.
  static var isWatching: Bool { get }
  /// How long what was written down has become.
  var byteCount: Int { get }
  mutating func note(_ step: (inout Steps) -> Void)
}

extension StepRecorder {
  @inlinable public var byteCount: Int { 0 }
}

extension StepRecorder where Steps == Self {
  @inlinable @inline(__always) public static var isWatching: Bool { true }
  @inlinable @inline(__always) public mutating func note(_ step: (inout Self) -> Void) { step(&self) }
}

@frozen
public struct NoSteps<Steps>: StepRecorder {
  @inlinable @inline(__always) public init() {}
  @inlinable @inline(__always) public static var isWatching: Bool { false }
  @inlinable @inline(__always) public func note(_ step: (inout Steps) -> Void) {}
}
