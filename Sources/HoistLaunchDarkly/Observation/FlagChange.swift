public import HoistCore

/// How a flag has changed (LD-30): its values before and after, as JSON; nil where there is none.
public struct FlagChange: Sendable {
  public let key: CText
  public let oldValue: CText?
  public let newValue: CText?

  public init(key: String, oldValue: [UInt8]?, newValue: [UInt8]?) {
    self.key = CText(key)
    self.oldValue = oldValue.map { CText($0) }
    self.newValue = newValue.map { CText($0) }
  }
}

/// Who wants to know (5.6). Called on the delivery lane, one call at a time.
public protocol ChangeObserver: AnyObject, Sendable {
  /// Never empty.
  func changed(_ changes: [FlagChange])
  func unchanged()
  func connectionModeChanged(_ mode: Int32)
}

/// What an observer is told of.
public enum ObservedChanges: Sendable {
  /// Flags of these keys, as bytes: a call per update, with those of them that changed. One flag is a list of one.
  case flags([[UInt8]])
  case all
  /// An update that changed nothing.
  case unchanged
  case connectionMode
}
