internal import HoistBase
internal import HoistCore
internal import Synchronization

/// Whether there is a configuration, and the calls that wait for one (4.1; KAM-15 to KAM-19, KAM-B26). `isReady` on any
/// thread, the rest on the scheduler's.
final class Readiness: ClientPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let failsFast: Bool
  private let isSet = Atomic<Bool>(false)
  private var waiting: [UInt64: Waiter] = [:]
  private var lastNumber: UInt64 = 0

  private struct Waiter {
    let tell: @Sendable (Status) -> Void
    /// nil without a limit.
    let timer: (any Cancellable)?
  }

  init(host: any ProviderHost, settings: KameleoonSettings) {
    self.host = host
    failsFast = settings.failsFast
  }

  /// Once true, it stays so.
  var isReady: Bool { isSet.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - milliseconds: negative for no limit.
  ///   - tell: once, unless the client closes first: `.ok` when ready; `.timeout`; `.network` when a fetch has failed
  ///   and waiting ends with that.
  func wait(milliseconds: Int64, _ tell: @escaping @Sendable (Status) -> Void) {
    if isReady { return tell(.ok) }
    if milliseconds == 0 { return tell(.timeout) }
    lastNumber &+= 1
    let number = lastNumber
    let timer =
      milliseconds < 0
      ? nil
      : host.scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in
        self?.waiting.removeValue(forKey: number)?.tell(.timeout)
      }
    waiting[number] = Waiter(tell: tell, timer: timer)
  }

  /// A configuration is served.
  func becomeReady() {
    isSet.store(true, ordering: .releasing)
    tellAll(.ok)
  }

  /// A fetch has failed; the served configuration stays.
  func failed() {
    if failsFast { tellAll(.network) }
  }

  private func tellAll(_ status: Status) {
    let waiters = waiting.sorted { $0.key < $1.key }.map(\.value)
    waiting = [:]
    for waiter in waiters {
      waiter.timer?.cancel()
      waiter.tell(status)
    }
  }

  /// Completes the calls that still wait.
  func stop() { tellAll(.cancelled) }

  /// They wait in the parent.
  func abandonAfterFork() {
    let inherited = waiting
    waiting = [:]
    withExtendedLifetime(inherited) {}
  }
}
