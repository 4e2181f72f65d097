internal import CShims
internal import HoistBase
internal import HoistCore

/// For evaluations of the core.
extension KameleoonVisitorRegistry: VisitorDirectory {
  /// The one clock that everything of visitors goes by: times of two would be out of order (contract 9).
  var now: Int64 { host.clock.recentUnixMilliseconds }

  func facts(of code: ByteView?) -> VisitorFacts? {
    let visitor = code.map { code in knownVisitor(Array(code)) } ?? own.current
    let section = shim_enter()
    defer { shim_leave(section) }
    return visitor?.facts(now: now)?.takeUnretainedValue()
  }

  /// nil when nothing of it is in memory.
  private func knownVisitor(_ code: [UInt8]) -> KameleoonVisitor? {
    if let visitor = people.handle(of: code) { return visitor }
    guard people.record(of: code) != nil, let client = host.client else { return nil }
    return try? open(code, of: client, waits: false)
  }

  /// Where consent is required, a visitor may have refused in an earlier run: it is read first.
  func hasToRead(_ code: ByteView) -> Bool {
    guard requiresConsent, host.store.keepsValues else { return false }
    let code = Array(code)
    guard VisitorCode.isValid(code) else { return false }
    if let restored = people.restored(code) { return !restored.isGiven }
    if people.record(of: code) != nil { return false }
    guard let client = host.client else { return false }
    _ = try? open(code, of: client, waits: false)
    return true
  }

  /// The visitor of an evaluation; opened if it is not the client's own.
  func visitor(of context: FrozenContext?, inherited: UnsafeRawPointer?) -> KameleoonVisitor? {
    guard let context, context.base != inherited else {
      let visitor = own.current
      if visitor?.isNamedByHost == false { visitor?.isNamedByHost = true }
      return visitor
    }
    guard let code = context.targetingKey, let client = host.client else { return nil }
    return try? open(Array(code), of: client, waits: false)
  }
}
