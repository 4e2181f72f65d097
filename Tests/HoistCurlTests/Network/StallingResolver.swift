import Glibc

/// The controls of `Tests/Faults/stalling_resolver.c`, where the test program was started with it.
struct StallingResolver: Sendable {
  private typealias Wait = @convention(c) (UnsafePointer<CChar>, Int32) -> Bool
  private typealias Release = @convention(c) (UnsafePointer<CChar>) -> Void
  private let waiting: Wait
  private let releasing: Release

  static let preloaded = StallingResolver()

  private init?() {
    guard let wait = dlsym(nil, "stalling_resolver_wait"), let release = dlsym(nil, "stalling_resolver_release") else {
      return nil
    }
    waiting = unsafeBitCast(wait, to: Wait.self)
    releasing = unsafeBitCast(release, to: Release.self)
  }

  /// Waits until as many look-ups of the name are under way; false when they are not within 30 s.
  func wait(_ name: String, count: Int32) -> Bool { waiting(name, count) }
  func release(_ name: String) { releasing(name) }
}
