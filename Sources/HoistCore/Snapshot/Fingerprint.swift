public import HoistBase

/// A hash over what decides a flag's value, to find the flags that a new configuration changes. Descriptions and dates
/// are left out; lists that a service always sends in the same order are hashed in that order.
@frozen
public struct Fingerprint {
  public var value: UInt64

  /// - Parameter start: the fingerprint of what comes before.
  @inlinable public init(continuing start: UInt64 = 1) { value = start }

  /// One after the other; of lists their count, too.
  @inlinable
  public mutating func add<each Part: Fingerprinted>(_ parts: repeat each Part) {
    repeat (each parts).add(to: &self)
  }

  @inlinable
  mutating func add(word: UInt64) { value = Hash64.combine(value, word) }
}

/// What a flag's value depends on.
public protocol Fingerprinted {
  func add(to fingerprint: inout Fingerprint)
}

extension Fingerprinted where Self: BinaryInteger {
  @inlinable
  public func add(to fingerprint: inout Fingerprint) { fingerprint.add(word: UInt64(truncatingIfNeeded: self)) }
}

extension Int: Fingerprinted {}
extension Int32: Fingerprinted {}
extension Int64: Fingerprinted {}
extension UInt8: Fingerprinted {}
extension UInt32: Fingerprinted {}
extension UInt64: Fingerprinted {}

extension Bool: Fingerprinted {
  @inlinable
  public func add(to fingerprint: inout Fingerprint) { fingerprint.add(word: self ? 1 : 2) }
}

extension ByteView: Fingerprinted {
  @inlinable
  public func add(to fingerprint: inout Fingerprint) { fingerprint.add(word: Hash64.hash(self)) }
}

extension Optional: Fingerprinted where Wrapped: Fingerprinted {
  @inlinable
  public func add(to fingerprint: inout Fingerprint) {
    if let self { self.add(to: &fingerprint) } else { fingerprint.add(word: 0) }
  }
}

extension Array: Fingerprinted where Element: Fingerprinted {
  @inlinable
  public func add(to fingerprint: inout Fingerprint) {
    fingerprint.add(word: UInt64(count))
    // By index: code that is not made for the element's type would look up the type of each element's iterator.
    var index = 0
    while index < count {
      self[index].add(to: &fingerprint)
      index += 1
    }
  }
}

extension UnsafeBufferPointer: Fingerprinted where Element: Fingerprinted {
  @inlinable
  public func add(to fingerprint: inout Fingerprint) {
    fingerprint.add(word: UInt64(count))
    var index = 0
    while index < count {
      self[index].add(to: &fingerprint)
      index += 1
    }
  }
}

extension Snapshot {
  /// Names of the flags that are new since `old`, gone, or of another fingerprint, in the order of their bytes.
  /// - Parameter fingerprint: that of a record of either snapshot.
  public func changedNames(since old: Snapshot?, fingerprint: (_ record: UnsafeRawPointer) -> UInt64) -> [String] {
    var changed: [String] = []
    let oldCount = old?.flagCount ?? 0
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < oldCount || newIndex < flagCount {
      let former = oldIndex < oldCount ? old.map { ($0, $0.record(at: oldIndex)) } : nil
      let current = newIndex < flagCount ? (self, record(at: newIndex)) : nil
      let order = Self.order(former, current)
      if order != .greater { oldIndex += 1 }
      if order != .less { newIndex += 1 }
      if order == .equal, let former, let current, fingerprint(former.1) == fingerprint(current.1) { continue }
      if let (snapshot, record) = order == .less ? former : current {
        changed.append(String(decoding: snapshot.name(of: record), as: UTF8.self))
      }
    }
    return changed
  }

  /// By name; one that is not there comes last.
  private static func order(
    _ left: (snapshot: Snapshot, record: UnsafeRawPointer)?, _ right: (snapshot: Snapshot, record: UnsafeRawPointer)?
  ) -> Ordering {
    guard let left else { return .greater }
    guard let right else { return .less }
    return left.snapshot.name(of: left.record).order(against: right.snapshot.name(of: right.record))
  }
}
