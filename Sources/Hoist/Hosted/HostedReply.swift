internal import HoistBase
internal import HoistCore

/// What the plug-in owes for one call: completed once, by the plug-in, by a newer call, or by the end of patience.
final class HostedReply: @unchecked Sendable {
  static let handles = HandleTable<HostedReply>()
  static let patienceMilliseconds: Int64 = 60_000

  private let scheduler: any Scheduler
  private let lock = InlineLock()
  private var completion: (@Sendable (UInt, Status) -> Void)?
  private var timer: (any Cancellable)?

  private init(_ scheduler: any Scheduler, _ completion: @escaping @Sendable (UInt, Status) -> Void) {
    self.scheduler = scheduler
    self.completion = completion
  }

  /// - Parameter completion: gets the number of the handle; runs on the scheduler's thread.
  /// - Returns: a handle for the plug-in, which `complete` ends.
  static func begin(
    _ scheduler: any Scheduler, _ completion: @escaping @Sendable (UInt, Status) -> Void
  ) -> OpaquePointer? {
    let reply = HostedReply(scheduler, completion)
    let handle = handles.give(reply)
    let number = UInt(bitPattern: handle)
    let timer = scheduler.schedule(afterMilliseconds: patienceMilliseconds) {
      complete(OpaquePointer(bitPattern: number), .timeout)
    }
    reply.lock.withLock { reply.timer = timer }
    return handle
  }

  /// Any thread; without effect on a handle that has ended.
  static func complete(_ handle: OpaquePointer?, _ status: Status) {
    handles.take(handle)?.end(UInt(bitPattern: handle), status)
  }

  private func end(_ number: UInt, _ status: Status) {
    let (taken, former) = lock.withLock {
      defer {
        completion = nil
        timer = nil
      }
      return (completion, timer)
    }
    former?.cancel()
    if let taken { scheduler.post { taken(number, status) } }
  }
}
