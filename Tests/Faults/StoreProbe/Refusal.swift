import Glibc
import HoistBase
import HoistCore

/// A service that keeps the first batch waiting until it is told to fail it, and takes all others.
final class HesitantSink: EventSink, @unchecked Sendable {
  private let file: FileSink
  private let lock = Lock()
  private let changed = Condition()
  private var held: (@Sendable (EventAnswer) -> Void)?
  private var hasHeld = false

  init(path: String) { file = FileSink(path: path) }

  func deliver(_ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void) -> (any Cancellable)? {
    let isFirst = lock.withLock {
      defer { hasHeld = true }
      if !hasHeld { held = completion }
      changed.broadcast()
      return !hasHeld
    }
    return isFirst ? nil : file.deliver(delivery, completion: completion)
  }

  func awaitFirst() {
    lock.withLock { while !hasHeld, changed.wait(lock, untilNanoseconds: .max) {} }
  }

  func failFirst() { lock.withLock { held }?(.failed("not now")) }
}

/// Two persons' records wait and are on their way when the first person refuses consent.
func runRefusal(folder: String, count: Int, sink path: String) {
  let sink = HesitantSink(path: path)
  let probe = ProbePipeline(folder: folder, sink: sink, durability: .immediate)
  for number in 0..<count {
    for person in ["refused", "kept"] {
      report("\(probe.record("\(person)-\(number)", subject: person)) \(person)-\(number)")
    }
  }
  probe.start()
  sink.awaitFirst()
  probe.pipeline.purge(subject: "refused")
  // What is recorded later is stored later: with this record, the purge is on the disk.
  report("\(probe.record("kept-last", subject: "")) kept-last")
  report("purged")
  sink.failFirst()
  report("closed \(probe.close())")
}
