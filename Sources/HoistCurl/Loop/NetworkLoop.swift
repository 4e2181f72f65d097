internal import HoistBase
public import HoistCore

/// The network thread: one per process, started on first use, never stopped. It runs posted work,
/// timers and every transfer of libcurl; host code never runs on it.
///
/// A forked child has no such thread. Its first call here leaves the parent's work, timers and
/// transfers alone, without closing anything, and starts a thread of the child's own.
public final class NetworkLoop: Scheduler, @unchecked Sendable {
  public static let shared = NetworkLoop()

  private let lock = Lock()
  private var thread: LoopThread
  private let clock = SystemClock()
  private let threadName: String

  /// For tests: a loop beside the shared one. Its thread outlives it.
  init(threadName: String = "hoist-network") {
    self.threadName = threadName
    thread = LoopThread(lock: lock, clock: clock)
  }

  /// Loads and sets up libcurl on the caller's thread: a host that exits meanwhile is then waited for by itself. On the
  /// network thread the TLS library would be torn down under its own set-up. What fails is told by each request.
  public static let prepare: @Sendable () -> Void = {
    LoopThread.gate.withLock { try? CurlLibrary.prepare() }
  }

  public func post(_ work: @escaping @Sendable () -> Void) {
    change { $0.append(work) }
  }

  public func schedule(
    afterMilliseconds delayMilliseconds: Int64, _ work: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let delay = max(0, delayMilliseconds).multipliedReportingOverflow(by: 1_000_000)
    let deadline = clock.monotonicNanoseconds.addingReportingOverflow(delay.partialValue)
    let isEndless = delay.overflow || deadline.overflow
    return change { thread in
      let timer = LoopTimer(deadline: isEndless ? .max : deadline.partialValue, owner: thread, work: work)
      thread.append(timer)
      return timer
    }
  }

  public var isCurrent: Bool { LoopMark.isSet(lock) }

  /// The process's: a fork makes the loop anew.
  public var generation: UInt32 { ForkGeneration.current }

  /// Posts work that is about transfers, with the thread that will run it.
  func postTransfer(_ work: @escaping @Sendable (LoopThread) -> Void) {
    change { thread in thread.append { [unowned thread] in work(thread) } }
  }

  /// Changes the queues of a thread that belongs to this process, and wakes it.
  private func change<Result>(_ body: (LoopThread) -> Result) -> Result {
    var inherited: LoopThread?
    let (result, current, call) = lock.withLock {
      if thread.generation != ForkGeneration.current {
        inherited = thread
        thread = LoopThread(lock: lock, clock: clock)
      }
      let result = body(thread)
      return (result, thread, thread.callForService())
    }
    inherited?.abandon()
    current.answer(call, threadName: threadName)
    return result
  }
}
