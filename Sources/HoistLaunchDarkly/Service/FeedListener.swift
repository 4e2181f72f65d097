internal import HoistCore

/// Receives the outcomes of the stream and of polls. On the scheduler's thread.
protocol FeedListener: AnyObject {
  /// - Parameters:
  ///   - isWanted: asked when the message has been read: false where the flags are asked for anew since.
  ///   - completion: what became of it, at once or later; not called for one that is not wanted.
  func feedBrings(
    _ message: FlagMessage, isWanted: @escaping @Sendable () -> Bool, completion: @escaping @Sendable (FlagOutcome) -> Void)
  /// A poll has ended; its flags have been reported before.
  func feedPolled(_ outcome: FetchOutcome)
  /// The service has answered, with flags, a confirmation, or an open stream.
  func feedIsAnswered(_ headers: [HTTPHeader])
  /// What is served is young enough to wait for the next poll.
  func feedFindsCacheFresh()
  /// The stream says that all flags are to be asked for.
  func feedIsPinged()
  /// An attempt to open the stream has ended, after this time.
  func feedTriedStream(startedUnixMilliseconds: Int64, durationMilliseconds: Int64, failed: Bool)
  func feedMetUnknownEvent(_ type: String)
  /// The stream has ended and is opened again; no failure when the service closed it in good order.
  func feedLostStream(_ failure: FetchFailure?, status: Int)
  /// The service refuses the key.
  func feedRefused(status: Int)
  /// The service refuses the stream with this status; it is not opened again.
  func feedShutDown(status: Int)
}
