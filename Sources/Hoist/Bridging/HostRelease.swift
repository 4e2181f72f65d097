internal import HoistBase

/// The last call into a host's table. The last reference may end on the network thread, which must not run host code:
/// then a thread made for such calls runs it.
enum HostRelease {
  typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private struct Call: @unchecked Sendable {
    let release: Function
    let userData: UnsafeMutableRawPointer?
  }

  private struct Waiting {
    var calls: [Call] = []
    var hasThread = false
    var generation = ForkGeneration.current

    /// In a forked child the thread does not exist, and the calls are the parent's.
    mutating func forgetInheritance() { if generation != ForkGeneration.current { self = Waiting() } }
  }

  private static let waiting = LockedValue(Waiting())

  /// - Parameter release: nil for a table without.
  static func run(_ release: Function?, _ userData: UnsafeMutableRawPointer?) {
    guard let release else { return }
    if Thread.admitsHost { return release(userData) }
    let needsThread = waiting.withLock { waiting in
      waiting.forgetInheritance()
      waiting.calls.append(Call(release: release, userData: userData))
      defer { waiting.hasThread = true }
      return !waiting.hasThread
    }
    // Better there than never.
    let hasStarted =
      !needsThread
      || Thread.start(name: "hoist-release") {
        Thread.admitHost()
        runAll()
      }
    if !hasStarted { runAll() }
  }

  private static func runAll() {
    while let calls = take() {
      for call in calls { call.release(call.userData) }
    }
  }

  private static func take() -> [Call]? {
    waiting.withLock { waiting in
      waiting.hasThread = !waiting.calls.isEmpty
      guard waiting.hasThread else { return nil }
      defer { waiting.calls = [] }
      return waiting.calls
    }
  }
}
