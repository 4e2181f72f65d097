internal import HoistBase
internal import HoistCore

/// The anonymous visitor of this installation, for hosts that ask for one (row OPT-90, protocols/optimizely.md 5.8).
/// Any thread, but where it says otherwise.
final class VisitorID: ClientPart, @unchecked Sendable {
  /// How long `text` waits for the store.
  private static let waitMilliseconds: Int64 = 2_000

  enum Wish {
    /// Nothing is said of it: it is the other clients'.
    case none
    case kept, deleted
  }

  private let wish: Wish
  private let id: InstallationID

  init(host: any ProviderHost, wish: Wish) {
    self.wish = wish
    let entropy = host.entropy
    id = InstallationID(store: host.store, scheduler: host.scheduler, key: "vuid", isWhole: { VUID.isWhole($0) }) {
      VUID.make(from: entropy)
    }
  }

  var isEnabled: Bool { wish == .kept }

  /// Reads or makes the id; removes what is stored when the host says so. On the scheduler's thread.
  func start() {
    switch wish {
    case .none: break
    case .kept: id.start()
    case .deleted: id.forget()
    }
  }

  func abandonAfterFork() { id.abandonAfterFork() }

  /// The id, if it is known by now.
  var current: String? { isEnabled ? id.current : nil }

  /// Runs `body` with the id: at once, or when it is known, on the scheduler's thread; never where there is none.
  func whenKnown(_ body: @escaping @Sendable (String) -> Void) { if isEnabled { id.whenKnown(body) } }

  /// The id; nil when there is none. Waits for the store, which is asked when the client opens: for milliseconds,
  /// and not at all on a thread of the library's own.
  var text: String? {
    guard isEnabled else { return nil }
    if let current { return current }
    if Thread.isOwn { return nil }
    return id.wait(untilNanoseconds: SystemClock().monotonicNanoseconds &+ Self.waitMilliseconds &* 1_000_000)
  }
}
