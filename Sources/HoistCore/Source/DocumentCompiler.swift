public import HoistBase

/// Where a client's documents are compiled: small ones at once, large ones on a lane of the client's own, for which neither a
/// fork nor the network of other clients waits. They are done in the order in which they come. On the scheduler's thread.
public final class DocumentCompiler: @unchecked Sendable {
  /// From so many bytes on a document is large: compiling takes about 20 ms for each megabyte.
  public static let largeBytes = 64 << 10

  private let scheduler: any Scheduler
  private let lane: Lane
  /// On the lane, or done and not yet told.
  private var underWay = 0
  private var generation: UInt32

  public init(clock: any Clock, scheduler: any Scheduler) {
    self.scheduler = scheduler
    generation = scheduler.generation
    lane = Lane(options: Lane.Options(name: "hoist-compile"), clock: clock, scheduler: scheduler)
  }

  /// - Parameters:
  ///   - bytes: of the document.
  ///   - body: compiles it; on any thread.
  ///   - completion: gets what that returns, before this returns where the document is small; after a stop or a close, too, so
  ///     that it has to see for itself whether that is still wanted. In a forked child it does not run.
  public func compile<Output: Sendable>(
    bytes: Int, _ body: @escaping @Sendable () -> Output, completion: @escaping @Sendable (Output) -> Void
  ) {
    scheduler.assertCurrent()
    if generation != scheduler.generation { (generation, underWay) = (scheduler.generation, 0) }
    guard bytes >= Self.largeBytes || underWay > 0 else { return completion(body()) }
    underWay += 1
    let isTaken = lane.perform { [self] in
      let output = body()
      scheduler.post { [self] in
        underWay -= 1
        completion(output)
      }
    }
    if isTaken { return }
    // There is no thread to be had: here, then.
    underWay -= 1
    completion(body())
  }
}
