public import HoistCore

/// The listener of a visitor's fetch status (FS-36). Called on the client's delivery lane or in manual dispatch, in
/// order.
public protocol VisitorListener: AnyObject, Sendable {
  func fetchStatusChanged(_ visitor: FlagshipVisitor, _ status: FetchStatus, _ reason: FetchReason)
}

/// How a visitor is made (FS-30 to FS-37).
public struct VisitorOptions: Sendable {
  /// Empty for one that is generated.
  public var id: [UInt8]
  public var hasConsented: Bool
  /// Whether that is the host's word of this visitor. Otherwise an earlier refusal counts more.
  var isAnswer = true
  public var isAuthenticated = false
  /// Whether it becomes the client's shared visitor (FS-31, FS-32).
  public var isShared = true
  /// Its first context; what is refused is left out.
  public var context: [Attribute] = []
  /// A record that `FlagshipVisitor.export` wrote, in place of what is cached; empty for none.
  public var record: [UInt8] = []
  public var listener: (any VisitorListener)?

  public init(id: [UInt8], hasConsented: Bool) {
    self.id = id
    self.hasConsented = hasConsented
  }
}
