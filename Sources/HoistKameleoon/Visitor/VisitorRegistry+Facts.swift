internal import HoistBase
internal import HoistCore

/// For evaluations of the core.
extension VisitorRegistry: VisitorDirectory {
  var now: Int64 { host.clock.recentUnixMilliseconds }

  func facts(of code: ByteView?) -> VisitorFacts? {
    let visitor = code.map { code in places.openVisitor(Array(code)) } ?? own.current
    return visitor?.published.held
  }
}
