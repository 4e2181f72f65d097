public import CShims
internal import HoistBase

/// The subject of a tracked event, and the snapshot served meanwhile. Valid for the call.
public struct EventSubject {
  private let hot: UnsafeMutablePointer<shim_hot>
  /// nil for the client's own context.
  private let given: UnsafeMutablePointer<shim_subject>?

  init(_ hot: UnsafeMutablePointer<shim_hot>, _ given: UnsafeMutablePointer<shim_subject>?) {
    self.hot = hot
    self.given = given
  }

  /// The context as it is now; nil where there is none. Inside a reading section, and valid as long.
  public var frozen: FrozenContext? {
    guard let given else { return shim_load_pointer(&hot.pointee.context).map { FrozenContext(UnsafeRawPointer($0)) } }
    return FrozenContext(of: given)
  }

  /// The snapshot that is served. Inside a reading section, and valid as long.
  public var snapshot: Snapshot? {
    shim_load_pointer(&hot.pointee.snapshot).map { Snapshot(UnsafeRawPointer($0)) }
  }

  /// A hold on the context as it is now.
  public func reference() -> ContextReference? {
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return frozen.map { ContextReference(sharing: $0) }
  }
}

extension FrozenContext {
  /// The current state of a host's context; nil when memory has run out. Inside a reading section, and valid as long.
  public init?(of subject: UnsafeMutablePointer<shim_subject>) {
    if let block = shim_load_pointer(&subject.pointee.frozen) {
      self.init(UnsafeRawPointer(block))
      return
    }
    guard let object = subject.pointee.object,
      let made = Unmanaged<EvaluationContext>.fromOpaque(object)._withUnsafeGuaranteedRef({ $0.freeze() })
    else { return nil }
    self.init(made)
  }
}
