internal import HoistBase
internal import HoistCore

/// The anonymous visitor of this installation, for hosts that ask for one (row OPT-90, protocols/optimizely.md 5.8):
/// made once, kept beside the stores of all accounts, and the same for all of them. Without a store, a client's own.
///
/// Any thread, but where it says otherwise.
final class VisitorID: OptimizelyPart, @unchecked Sendable {
  /// Under which the installation's store knows it.
  private static let storeKey = "vuid"
  /// How long `text` waits for the store.
  private static let waitMilliseconds: Int64 = 2_000
  private static let maximumWaiting = 1_000

  let isEnabled: Bool
  private let host: any ProviderHost
  private let known = Answer<String>()
  /// Who is told of the id when it is known; nil from then on.
  private let waiting: Shared<[@Sendable (String) -> Void]?>
  /// In which process the store was asked; the scheduler thread's.
  private var askedIn: UInt32?

  init(host: any ProviderHost, isEnabled: Bool) {
    self.host = host
    self.isEnabled = isEnabled
    waiting = Shared(isEnabled ? [] : nil)
  }

  /// Reads or makes the id; removes what is stored when it is not wanted. On the scheduler's thread.
  func start() {
    let generation = host.scheduler.generation
    guard askedIn != generation, current == nil else { return }
    askedIn = generation
    guard isEnabled else { return host.store.removeShared(Self.storeKey) }
    let made = VUID.make(from: host.entropy)
    host.store.sharedText(Self.storeKey, orKeep: made, isWhole: { VUID.isWhole($0) }) { [weak self] id in
      guard let self else { return }
      known.give(id)
      let told = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting ?? []
      }
      for tell in told { tell(id) }
    }
  }

  /// Who waits is the parent's. On the scheduler's thread.
  func abandonAfterFork() { waiting.withLock { if $0 != nil { $0 = [] } } }

  /// The id, if it is known by now.
  var current: String? { isEnabled ? known.wait(untilNanoseconds: 0) : nil }

  /// Runs `body` with the id: at once, or when it is known, on the scheduler's thread; never where there is none.
  func whenKnown(_ body: @escaping @Sendable (String) -> Void) {
    let isKnown = waiting.withLock { waiting in
      guard let count = waiting?.count else { return true }
      if count < Self.maximumWaiting { waiting?.append(body) }
      return false
    }
    if isKnown, let current { body(current) }
  }

  /// The id; nil when there is none. Waits for the store, which is asked when the client opens: for milliseconds,
  /// and not at all on a thread of the library's own.
  var text: String? {
    guard isEnabled else { return nil }
    if let current { return current }
    if Thread.isOwn { return nil }
    return known.wait(untilNanoseconds: SystemClock().monotonicNanoseconds &+ Self.waitMilliseconds &* 1_000_000)
  }
}
