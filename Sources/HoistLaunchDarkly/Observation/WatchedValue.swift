internal import HoistBase
internal import HoistCore

/// A flag's value for one context, as its observer knows it (server 11.1).
public final class WatchedValue: Sendable {
  let key: [UInt8]
  private let read: @Sendable () -> [UInt8]
  /// Nil until it was read for the first time.
  private let known = LockedValue<[UInt8]?>(nil)

  /// - Parameter read: the value as JSON; "null" for none. May call the host.
  init(_ key: [UInt8], _ read: @escaping @Sendable () -> [UInt8]) {
    self.key = key
    self.read = read
  }

  /// What the first change is compared with. Called when changes are told already: none comes between.
  func begin() {
    let value = read()
    known.withLock { if $0 == nil { $0 = value } }
  }

  /// Tells of another value than the one that is known. On the delivery lane, where rules may have changed more than once.
  func tell(_ observer: any ChangeObserver) {
    let new = read()
    let old = known.withLock { known in
      defer { known = new }
      return known
    }
    guard let old, !Self.isSame(old, new) else { return }
    observer.changed([FlagChange(key: String(decoding: key, as: UTF8.self), oldValue: old, newValue: new)])
  }

  private static func isSame(_ old: [UInt8], _ new: [UInt8]) -> Bool {
    if old == new { return true }
    func value(_ json: [UInt8]) -> LDValue? { json.withBytes { try? LDValue(json: $0) } }
    guard let old = value(old), let new = value(new) else { return false }
    return old == new
  }
}
