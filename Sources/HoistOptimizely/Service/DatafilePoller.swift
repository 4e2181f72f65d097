internal import HoistBase
internal import HoistCore

/// Downloads again and again, while the host's program is active (protocols/optimizely.md 5.3; OPT-35 to OPT-40). On the
/// scheduler's thread.
final class DatafilePoller: @unchecked Sendable {
  private let host: any ProviderHost
  private let intervalMilliseconds: Int64
  /// Begins a download; what it is given is called at its end.
  private let fetch: (_ done: @escaping @Sendable () -> Void) -> Void
  private var timer: (any Cancellable)?
  /// When the next download is due, by the monotonic clock; nil while none is.
  private var dueNanoseconds: Int64?
  private var isRunning = false
  private var generation: UInt64 = 0
  private(set) var isActive = true

  /// - Parameter seconds: 0 never polls.
  init(host: any ProviderHost, seconds: Int64, fetch: @escaping (_ done: @escaping @Sendable () -> Void) -> Void) {
    self.host = host
    intervalMilliseconds = seconds * 1000
    self.fetch = fetch
  }

  /// The first download comes after one interval. Harmless while it runs.
  func start() {
    guard !isRunning, intervalMilliseconds > 0 else { return }
    isRunning = true
    wait(intervalMilliseconds)
  }

  func stop() {
    timer?.cancel()
    abandon()
  }

  func abandon() {
    timer = nil
    isRunning = false
    dueNanoseconds = nil
    generation &+= 1
  }

  /// While inactive no download begins; one that has become due meanwhile begins at once afterwards.
  func setActive(_ active: Bool) {
    guard active != isActive else { return }
    isActive = active
    timer?.cancel()
    timer = nil
    guard active, isRunning, let dueNanoseconds else { return }
    arm(max(0, (dueNanoseconds - host.clock.monotonicNanoseconds) / 1_000_000))
  }

  private func wait(_ milliseconds: Int64) {
    dueNanoseconds = host.clock.monotonicNanoseconds &+ milliseconds &* 1_000_000
    if isActive { arm(milliseconds) }
  }

  private func arm(_ milliseconds: Int64) {
    timer = host.scheduler.schedule(afterMilliseconds: milliseconds) { [weak self] in self?.tick() }
  }

  private func tick() {
    timer = nil
    dueNanoseconds = nil
    let begun = host.clock.monotonicNanoseconds
    let mine = generation
    fetch { [weak self] in
      guard let self, mine == generation, isRunning else { return }
      // The whole seconds that the download took belong to the interval.
      let seconds = max(0, (host.clock.monotonicNanoseconds - begun) / 1_000_000_000)
      wait(max(0, intervalMilliseconds - seconds * 1000))
    }
  }
}
