internal import HoistCore

/// A way in which flags of one context keep coming; from `start` to `end`, which is final. On the scheduler's thread.
protocol FlagFeed: AnyObject {
  func start()
  func end()
  /// Of the newest poll; "" when what is served has not come with one.
  var entityTag: String { get }
  /// Asks for all flags out of turn.
  func refresh()
  /// Timers and requests belong to the process this one was forked from.
  func abandonAfterFork()
}

/// Whom a feed tells what it meets.
protocol FeedListener: AnyObject {
  func feedBrings(_ message: FlagMessage) -> FlagOutcome
  /// A poll has ended; what it brought has been told before.
  func feedPolled(_ outcome: PollOutcome)
  /// The service has answered, with flags, a confirmation, or an open stream.
  func feedIsAnswered(_ headers: [HTTPHeader])
  /// What is served is young enough to wait for the next poll.
  func feedFindsCacheFresh()
  /// An attempt to open the stream has come to something, after so long.
  func feedTriedStream(startedUnixMilliseconds: Int64, durationMilliseconds: Int64, failed: Bool)
  func feedMetUnknownEvent(_ type: String)
  /// The stream has ended and is opened again; `problem` is nil when the service closed it in good order.
  func feedLostStream(_ problem: String?, status: Int)
  /// The service refuses the mobile key.
  func feedRefused()
  /// The service refuses the stream with this status; it is not opened again.
  func feedShutDown(status: Int)
}
