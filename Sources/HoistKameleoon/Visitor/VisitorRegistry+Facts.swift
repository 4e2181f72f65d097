internal import CShims
internal import HoistBase
internal import HoistCore

/// For evaluations of the core.
extension VisitorRegistry: VisitorDirectory {
  var now: Int64 { host.clock.recentUnixMilliseconds }

  func facts(of code: ByteView?) -> VisitorFacts? {
    let visitor = code.map { code in places.openVisitor(Array(code)) } ?? own.current
    let section = shim_enter()
    defer { shim_leave(section) }
    return visitor?.facts(now: now)?.takeUnretainedValue()
  }

  /// Whose evaluation it was; another one than the client's own is opened for it.
  func visitor(of context: FrozenContext?, inherited: UnsafeRawPointer?) -> KameleoonVisitor? {
    guard let context, context.base != inherited else { return own.current }
    guard let code = context.targetingKey, let client = host.client else { return nil }
    return try? open(Array(code), of: client, waits: false)
  }
}
